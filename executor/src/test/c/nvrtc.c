// libnvrtc.so.13: an image is the source itself, which the null driver compiles for the host when it emulates work.
#define _GNU_SOURCE
#include "null.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPILATION 6
#define BAD_INPUT 3
#define INSTANCES 256

struct program {
    char *source, *image, *log;
    char *instances[INSTANCES];
    int instance_count;
};

const char *nvrtcGetErrorString(int status) {
    switch (status) {
        case 0: return "NVRTC_SUCCESS";
        case 3: return "NVRTC_ERROR_INVALID_INPUT";
        case 4: return "NVRTC_ERROR_INVALID_PROGRAM";
        case 5: return "NVRTC_ERROR_INVALID_OPTION";
        case 6: return "NVRTC_ERROR_COMPILATION";
        default: return "NVRTC_ERROR unknown";
    }
}

int nvrtcVersion(int *major, int *minor) {
    *major = 13;
    *minor = 0;
    return 0;
}

static const int CAPABILITIES[] = {75, 80, 86, 87, 88, 89, 90, 100, 110, 103, 120, 121};

int nvrtcGetNumSupportedArchs(int *count) {
    *count = sizeof CAPABILITIES / sizeof *CAPABILITIES;
    return 0;
}

int nvrtcGetSupportedArchs(int *capabilities) {
    memcpy(capabilities, CAPABILITIES, sizeof CAPABILITIES);
    return 0;
}

int nvrtcCreateProgram(struct program **program, const char *source, const char *name, int headers,
                       const char *const *contents, const char *const *names) {
    (void)name, (void)contents, (void)names;
    ENTER("nvrtcCreateProgram");
    if (headers) return BAD_INPUT;
    struct program *p = null_object(sizeof *p, OBJECT_PROGRAM);
    p->source = strdup(source);
    p->log = strdup("");
    *program = p;
    return 0;
}

int nvrtcDestroyProgram(struct program **program) {
    struct program *p = *program;
    if (!null_is_object(p, OBJECT_PROGRAM)) return 4;
    free(p->source), free(p->image), free(p->log);
    for (int i = 0; i < p->instance_count; i++) free(p->instances[i]);
    null_drop(p, OBJECT_PROGRAM);
    *program = NULL;
    return 0;
}

int nvrtcAddNameExpression(struct program *p, const char *name) {
    if (p->instance_count == INSTANCES) return BAD_INPUT;
    p->instances[p->instance_count++] = strdup(name);
    return 0;
}

int nvrtcGetLoweredName(struct program *p, const char *name, const char **symbol) {
    static char symbols[INSTANCES][8];
    for (int i = 0; i < p->instance_count; i++) {
        if (strcmp(name, p->instances[i]) == 0) {
            snprintf(symbols[i], sizeof symbols[i], "t%d", i);
            *symbol = symbols[i];
            return 0;
        }
    }
    return 10;
}

int nvrtcCompileProgram(struct program *p, int count, const char *const *options) {
    ENTER("nvrtcCompileProgram");
    size_t bytes = 0;
    FILE *image = open_memstream(&p->image, &bytes);
    fputs("NULLCUDA\n", image);
    for (int i = 0; i < count; i++) {
        if (strncmp(options[i], "-D", 2) == 0) fprintf(image, "'%s' ", options[i]);
        else if (strncmp(options[i], "--", 2) != 0 && strncmp(options[i], "-default", 8) != 0) {
            fclose(image);
            return 5;
        }
    }
    fprintf(image, "\n%d\n", p->instance_count);
    for (int i = 0; i < p->instance_count; i++) fprintf(image, "%s\n", p->instances[i]);
    fputs(p->source, image);
    fclose(image);
    if (!null_control()->emulate) return 0;
    char path[4400], log[65536] = "";
    int good = null_compile(p->image, path, sizeof path, log, sizeof log);
    free(p->log);
    p->log = strdup(log);
    return good ? 0 : COMPILATION;
}

static int size_of(const char *text, size_t *bytes) {
    if (text == NULL) return 4;
    *bytes = strlen(text) + 1;
    return 0;
}

static int copy_of(const char *text, char *to) {
    if (text == NULL) return 4;
    strcpy(to, text);
    return 0;
}

int nvrtcGetCUBINSize(struct program *p, size_t *bytes) { return size_of(p->image, bytes); }
int nvrtcGetCUBIN(struct program *p, char *to) { return copy_of(p->image, to); }
int nvrtcGetPTXSize(struct program *p, size_t *bytes) { return size_of(p->image, bytes); }
int nvrtcGetPTX(struct program *p, char *to) { return copy_of(p->image, to); }
int nvrtcGetProgramLogSize(struct program *p, size_t *bytes) { return size_of(p->log, bytes); }
int nvrtcGetProgramLog(struct program *p, char *to) { return copy_of(p->log, to); }

// libcuda.so.1: kernels. An image of the null NVRTC is text (see nvrtc.c); when work is emulated, the host's C++ compiler
// makes a shared object of it, with kernel.h in place of the device.
#define _GNU_SOURCE
#include "null.h"

#include <dlfcn.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BAD_IMAGE 200
#define NOT_FOUND 500

static const char HEADER[] = "NULLCUDA\n";

struct buffer { char *text; size_t bytes, room; };

static void append(struct buffer *b, const char *text, size_t bytes) {
    if (b->bytes + bytes + 1 > b->room) {
        b->room = 2 * (b->bytes + bytes + 1);
        b->text = realloc(b->text, b->room);
    }
    memcpy(b->text + b->bytes, text, bytes);
    b->bytes += bytes;
    b->text[b->bytes] = 0;
}

static void add(struct buffer *b, const char *text) { append(b, text, strlen(text)); }

static struct buffer output(const char *command, int *status) {
    struct buffer b = {0};
    add(&b, "");
    FILE *pipe = popen(command, "r");
    char piece[4096];
    size_t got;
    while (pipe && (got = fread(piece, 1, sizeof piece, pipe)) > 0) append(&b, piece, got);
    *status = pipe ? pclose(pipe) : -1;
    return b;
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    if (file == NULL) return;
    fputs(text, file);
    fclose(file);
}

// extern __shared__ T name[]; becomes a pointer to the block's dynamic shared memory.
static struct buffer with_dynamic_shared(const char *source) {
    struct buffer b = {0};
    add(&b, "");
    regex_t pattern;
    regcomp(&pattern,
            "extern[ \n]+__shared__[ \n]+(__align__\\([0-9]+\\)[ \n]*)?([A-Za-z_][A-Za-z0-9_ ]*[ \n])([A-Za-z0-9_]+)"
            "[ ]*\\[[ ]*\\][ ]*;",
            REG_EXTENDED);
    regmatch_t m[4];
    while (regexec(&pattern, source, 4, m, 0) == 0) {
        append(&b, source, m[0].rm_so);
        append(&b, source + m[2].rm_so, m[2].rm_eo - m[2].rm_so);
        add(&b, "*");
        append(&b, source + m[3].rm_so, m[3].rm_eo - m[3].rm_so);
        add(&b, " = (");
        append(&b, source + m[2].rm_so, m[2].rm_eo - m[2].rm_so);
        add(&b, "*) null_dynamic_shared;");
        source += m[0].rm_eo;
    }
    regfree(&pattern);
    add(&b, source);
    return b;
}

static void add_entry(struct buffer *b, const char *symbol, int bytes, const char *function, int function_bytes) {
    char *text = NULL;
    int length = asprintf(&text, "\nextern \"C\" void null_kernel_%.*s(void **p) { null_invoke(&%.*s, p); }\n", bytes,
                          symbol, function_bytes, function);
    if (length > 0) append(b, text, length);
    free(text);
}

static int is_template(const char *source, const char *mark) {
    const char *before = mark;
    while (before > source && (before[-1] == ' ' || before[-1] == '\n' || before[-1] == '\t')) before--;
    return before > source && before[-1] == '>';
}

// An entry for every kernel that is no template: the name before the first parenthesis after __global__.
static void add_entries(struct buffer *b, const char *source) {
    static const char mark[] = "__global__", bounds[] = "__launch_bounds__";
    for (const char *at = strstr(source, mark); at; at = strstr(at + 1, mark)) {
        if (is_template(source, at)) continue;
        const char *open = strchr(at, '(');
        const char *limits = strstr(at, bounds);
        if (limits && open && limits < open) open = strchr(strchr(open, ')') + 1, '(');
        if (open == NULL) continue;
        const char *end = open;
        while (end > at && (end[-1] == ' ' || end[-1] == '\n')) end--;
        const char *begin = end;
        while (begin > at && strchr(" \n*&", begin[-1]) == NULL) begin--;
        add_entry(b, begin, (int)(end - begin), begin, (int)(end - begin));
    }
}

// The header is compiled once and kept beside its source. Flags are the same for it and for what includes it: a compiled
// header serves no others. Processes may come here together: the last one's file stays.
#define COMPILE "g++ -std=c++17 -O1 -w -ffp-contract=off -fno-threadsafe-statics -U_FORTIFY_SOURCE -fPIC "

static void compile_header(void) {
    char path[4400], command[16384];
    snprintf(path, sizeof path, "%s/kernel.h.gch", null_folder());
    if (access(path, R_OK) == 0) return;
    snprintf(command, sizeof command, COMPILE "-x c++-header -o '%s.%d' '%s/kernel.h' 2>&1 && mv '%s.%d' '%s'", path,
             getpid(), null_folder(), path, getpid(), path);
    // Where this fails, compiling the first kernel fails as well and says why.
    int status;
    free(output(command, &status).text);
}

static void first_lines(const char *text, char *log, size_t bytes) { snprintf(log, bytes, "%s", text); }

// The image: HEADER, a line of options, the number of template instances, one a line, the source.
static int build(const char *image, const char *stem, const char *path, char *log, size_t log_bytes) {
    const char *options = image + strlen(HEADER), *line = strchr(options, '\n');
    int option_bytes = (int)(line - options), count = atoi(line + 1);
    const char *instances = strchr(line + 1, '\n') + 1, *source = instances;
    for (int i = 0; i < count; i++) source = strchr(source, '\n') + 1;

    char file[4400], command[16384];
    snprintf(file, sizeof file, "%s.cu.cc", stem);
    write_file(file, source);
    snprintf(command, sizeof command, "g++ -std=c++17 -E -w %.*s '%s' 2>&1", option_bytes, options, file);
    int status;
    struct buffer expanded = output(command, &status);
    if (status == 0) {
        struct buffer text = {0}, shared = with_dynamic_shared(expanded.text);
        add(&text, "#include \"kernel.h\"\n");
        add(&text, shared.text);
        add_entries(&text, shared.text);
        const char *name = instances;
        for (int i = 0; i < count; i++) {
            const char *end = strchr(name, '\n');
            char symbol[32];
            snprintf(symbol, sizeof symbol, "t%d", i);
            char *function = NULL;
            int length = asprintf(&function, "(%.*s)", (int)(end - name), name);
            add_entry(&text, symbol, (int)strlen(symbol), function, length);
            free(function);
            name = end + 1;
        }
        write_file(file, text.text);
        compile_header();
        free(text.text), free(shared.text), free(expanded.text);
        snprintf(command, sizeof command,
                 COMPILE "-shared -I'%s' -o '%s.tmp' '%s' 2>&1 && mv '%s.tmp' '%s'",
                 null_folder(), stem, file, stem, path);
        expanded = output(command, &status);
    }
    first_lines(expanded.text, log, log_bytes);
    free(expanded.text);
    unlink(file);
    return status == 0;
}

int null_compile(const char *image, char *path, size_t path_bytes, char *log, size_t log_bytes) {
    uint64_t hash = 1469598103934665603u;
    for (const char *c = image; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    snprintf(path, path_bytes, "%s/kernel-%016lx.so", null_folder(), (unsigned long)hash);
    if (access(path, R_OK) == 0) return 1;
    char stem[4300];
    snprintf(stem, sizeof stem, "%s/kernel-%016lx-%d", null_folder(), (unsigned long)hash, getpid());
    return build(image, stem, path, log, log_bytes);
}

struct module { void *library; };

int cuModuleLoadData(void **module, const void *image) {
    ENTER("cuModuleLoadData");
    if (null_control()->has_context == 0) return 201;
    if (strncmp(image, HEADER, strlen(HEADER)) != 0) return BAD_IMAGE;
    void *library = NULL;
    if (null_control()->emulate) {
        char path[4400], log[4096];
        if (!null_compile(image, path, sizeof path, log, sizeof log)) return BAD_IMAGE;
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) return BAD_IMAGE;
    }
    struct module *m = null_object(sizeof *m, OBJECT_MODULE);
    m->library = library;
    *module = m;
    return 0;
}

int cuModuleUnload(void *module) {
    ENTER("cuModuleUnload");
    struct module *m = module;
    if (!null_is_object(m, OBJECT_MODULE)) return 400;
    if (m->library) dlclose(m->library);
    null_drop(m, OBJECT_MODULE);
    return 0;
}

struct kernel {
    void (*entry)(void **);
    void (*run)(void (*)(void **), void **, const unsigned *, const unsigned *, size_t);
    int shared_limit;
    struct kernel *next;
    void *module;
    char name[];
};
static struct kernel *kernels;

int cuModuleGetFunction(struct kernel **function, void *module, const char *name) {
    ENTER("cuModuleGetFunction");
    struct module *m = module;
    if (!null_is_object(m, OBJECT_MODULE)) return 400;
    struct kernel *k = calloc(1, sizeof *k + strlen(name) + 1);
    strcpy(k->name, name);
    k->shared_limit = 48 << 10;
    k->module = m;
    if (m->library) {
        char symbol[512];
        snprintf(symbol, sizeof symbol, "null_kernel_%s", name);
        *(void **)&k->entry = dlsym(m->library, symbol);
        *(void **)&k->run = dlsym(m->library, "null_run");
        if (k->entry == NULL || k->run == NULL) {
            free(k);
            return NOT_FOUND;
        }
    }
    k->next = kernels;
    kernels = k;
    *function = k;
    return 0;
}

int cuFuncSetAttribute(struct kernel *function, int attribute, int value) {
    ENTER("cuFuncSetAttribute");
    if (attribute != 8 || value > 227 << 10) return INVALID_VALUE;
    function->shared_limit = value;
    return 0;
}

int cuLaunchKernel(struct kernel *k, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra) {
    (void)stream, (void)extra;
    ENTER("cuLaunchKernel");
    unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
    if (gx == 0 || gy == 0 || gz == 0 || gx > 0x7fffffff || gy > 65535 || gz > 65535) return INVALID_VALUE;
    if (bx == 0 || by == 0 || bz == 0 || (uint64_t)bx * by * bz > 1024 || bz > 64) return INVALID_VALUE;
    if (shared > (unsigned)k->shared_limit || !null_is_object(k->module, OBJECT_MODULE)) return INVALID_VALUE;
    null_control()->launches++;
    if (null_control()->emulate && k->run) k->run(k->entry, parameters, grid, block, shared);
    return 0;
}

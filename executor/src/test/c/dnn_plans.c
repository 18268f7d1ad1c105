// The plans that the null cuDNN knows for a convolution: from a file that the test writes, else one.
#include "dnn_backend.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static FILE *file(const char *name, const char *mode) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%d", null_folder(), name, getpid());
    return mode[0] == 'a' && access(path, F_OK) ? NULL : fopen(path, mode);
}

// Lines of "mode engine workspace notes finishes runs question", where a question * is any.
static int read_plans(FILE *in, int mode, const char *question, struct plan *plans) {
    char line[2048], of[1536];
    int count = 0;
    while (count < PLANS && fgets(line, sizeof line, in)) {
        struct plan p;
        int m;
        int read = sscanf(line, "%d %ld %ld %d %d %d %1535[^\n]", &m, &p.engine, &p.workspace, &p.notes, &p.finishes,
                          &p.runs, of);
        if (read == 7 && m == mode && (!strcmp(of, "*") || !strcmp(of, question))) plans[count++] = p;
    }
    return count;
}

int plans_of(int mode, const char *question, struct plan *plans) {
    FILE *asked = file("asked", "a");
    if (asked) {
        fprintf(asked, "%d %s\n", mode, question);
        fclose(asked);
    }
    FILE *in = file("plans", "r");
    if (in) {
        int count = read_plans(in, mode, question, plans);
        fclose(in);
        return count;
    }
    plans[0] = (struct plan){.workspace = null_control()->workspace, .finishes = 1, .runs = 1};
    return mode == INSTANT;
}

// cuDNN's backend interface, as far as convolutions need it. Numbers are those of cudnn_graph.h.
#ifndef DNN_BACKEND_H
#define DNN_BACKEND_H

#include "dnn.h"

enum { D_CONVOLUTION = 1, D_ENGINE, D_CONFIGURATION, D_HEURISTICS, D_PLAN, D_FORWARD = 10, D_FILTER, D_DATA,
       D_GRAPH = 15, D_PACK, D_TENSOR };
enum { T_HANDLE, T_DATA_TYPE, T_INT64 = 3, T_FLOAT, T_DOUBLE, T_ADDRESS, T_MODE, T_HEUR_MODE, T_NOTE = 11,
       T_DESCRIPTOR = 15 };
enum {
    A_COMPUTE = 100, A_MODE, A_DILATIONS, A_STRIDES, A_POST, A_PRE, A_SPATIAL,
    A_HEUR_MODE = 200, A_HEUR_GRAPH, A_HEUR_RESULTS,
    A_ENGINE = 300,
    A_PLAN_HANDLE = 400, A_PLAN_CONFIGURATION, A_PLAN_WORKSPACE,
    A_FORWARD = 700, A_DATA = 706, A_FILTER = 712,
    A_GRAPH_HANDLE = 800, A_GRAPH_OPERATIONS,
    A_ALIGNMENT = 900, A_TYPE, A_SIZES, A_TENSOR_STRIDES, A_NAME = 906,
    A_NAMES = 1000, A_ADDRESSES, A_WORKSPACE = 1003,
    A_INDEX = 1301, A_NOTES = 1303
};
enum { INSTANT = 0, FALLBACK = 2 };

#define NOT_FINISHED 2004
#define MISALIGNED 2003
#define PLANS 96
#define ATTRIBUTES 8
#define VALUE_BYTES 64

struct attribute { int name, type; int64_t count; char value[VALUE_BYTES]; };

// One convolution: what is computed, and how a variant pack names its tensors.
struct operation {
    enum way way;
    struct tensor tensor[3]; // x, w, y
    int64_t name[3], alignment[3];
    struct convolution convolution;
    double alpha, beta;
    char question[1536]; // all of it in a line of numbers
};

// notes: bit i is numerical note i. finishes, runs: whether it can be made, and run.
struct plan { int64_t engine, workspace; int notes, finishes, runs; };

struct descriptor {
    int type, finished, attributes, plans;
    struct attribute attribute[ATTRIBUTES];
    struct operation operation; // of operations and all that is made of them: what they were made of may be destroyed
    struct plan plan[PLANS];    // one but for heuristics
};

// The plans of a heuristic mode; their number.
int plans_of(int mode, const char *question, struct plan *plans);

const struct attribute *attribute_of(const struct descriptor *d, int name, int type);
// A finished descriptor that an attribute holds, or NULL.
const struct descriptor *held(const struct descriptor *d, int name);
int finish_tensor(const struct descriptor *d);
int finish_convolution(const struct descriptor *d);
int finish_operation(struct descriptor *d);

#endif

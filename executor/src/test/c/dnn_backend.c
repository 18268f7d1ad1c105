// Descriptors of cuDNN's backend interface, heuristics and plans.
#include "dnn_backend.h"

#include <string.h>

int cudnnBackendCreateDescriptor(int type, struct descriptor **out) {
    ENTER("cudnnBackendCreateDescriptor");
    *out = null_object(sizeof **out, OBJECT_BACKEND);
    (*out)->type = type;
    return 0;
}

int cudnnBackendDestroyDescriptor(struct descriptor *d) { return null_drop(d, OBJECT_BACKEND) ? 0 : BAD_PARAM; }

static size_t bytes_of(int type) {
    return type == T_HANDLE || type == T_INT64 || type == T_DOUBLE || type == T_ADDRESS || type == T_DESCRIPTOR ? 8 : 4;
}

const struct attribute *attribute_of(const struct descriptor *d, int name, int type) {
    for (int i = 0; i < d->attributes; i++)
        if (d->attribute[i].name == name && d->attribute[i].type == type) return &d->attribute[i];
    return NULL;
}

static void *pointer_at(const struct descriptor *d, int name, int type) {
    const struct attribute *a = attribute_of(d, name, type);
    void *out = NULL;
    if (a) memcpy(&out, a->value, sizeof out);
    return out;
}

const struct descriptor *held(const struct descriptor *d, int name) {
    const struct descriptor *out = pointer_at(d, name, T_DESCRIPTOR);
    return null_is_object(out, OBJECT_BACKEND) && out->finished ? out : NULL;
}

int cudnnBackendSetAttribute(struct descriptor *d, int name, int type, int64_t count, const void *values) {
    ENTER("cudnnBackendSetAttribute");
    if (!null_is_object(d, OBJECT_BACKEND) || d->finished || count < 1 || attribute_of(d, name, type)) return BAD_PARAM;
    if (d->attributes == ATTRIBUTES || count * bytes_of(type) > VALUE_BYTES) return NOT_SUPPORTED;
    struct attribute *a = &d->attribute[d->attributes++];
    *a = (struct attribute){.name = name, .type = type, .count = count};
    memcpy(a->value, values, count * bytes_of(type));
    return 0;
}

static int has_handle(const struct descriptor *d, int name) {
    return null_is_object(pointer_at(d, name, T_HANDLE), OBJECT_DNN);
}

static int finish_heuristics(struct descriptor *d) {
    const struct descriptor *graph = held(d, A_HEUR_GRAPH);
    const struct attribute *mode = attribute_of(d, A_HEUR_MODE, T_HEUR_MODE);
    if (!graph || !mode) return NOT_FINISHED;
    d->operation = graph->operation;
    d->plans = plans_of(*(const int *)mode->value, d->operation.question, d->plan);
    return 0;
}

static int finish_plan(struct descriptor *d) {
    const struct descriptor *configuration = held(d, A_PLAN_CONFIGURATION);
    if (!has_handle(d, A_PLAN_HANDLE) || !configuration) return NOT_FINISHED;
    d->operation = configuration->operation;
    d->plan[0] = configuration->plan[0];
    return d->plan[0].finishes ? 0 : NOT_SUPPORTED;
}

static int finish(struct descriptor *d) {
    const struct descriptor *operation;
    switch (d->type) {
        case D_TENSOR: return finish_tensor(d);
        case D_CONVOLUTION: return finish_convolution(d);
        case D_FORWARD: case D_DATA: case D_FILTER: return finish_operation(d);
        case D_GRAPH:
            operation = held(d, A_GRAPH_OPERATIONS);
            if (!has_handle(d, A_GRAPH_HANDLE) || !operation) return NOT_FINISHED;
            d->operation = operation->operation;
            return 0;
        case D_HEURISTICS: return finish_heuristics(d);
        case D_PLAN: return finish_plan(d);
        case D_PACK:
            return attribute_of(d, A_NAMES, T_INT64) && attribute_of(d, A_ADDRESSES, T_ADDRESS) ? 0 : BAD_PARAM;
        default: return NOT_SUPPORTED;
    }
}

int cudnnBackendFinalize(struct descriptor *d) {
    ENTER("cudnnBackendFinalize");
    if (!null_is_object(d, OBJECT_BACKEND)) return BAD_PARAM;
    int status = finish(d);
    d->finished = status == 0;
    return status;
}

// The caller's descriptors become an operation's plans.
static int64_t fill(const struct descriptor *d, int type, int count, int64_t room, struct descriptor **out) {
    for (int i = 0; out && i < count && i < room; i++) {
        if (!null_is_object(out[i], OBJECT_BACKEND) || out[i]->type != type) return -1;
        out[i]->operation = d->operation;
        out[i]->plan[0] = d->plan[i];
        out[i]->finished = 1;
    }
    return count;
}

static int64_t notes(int bits, int64_t room, int *out) {
    int64_t count = 0;
    for (int i = 0; i < 32; i++)
        if (bits >> i & 1) {
            if (out && count < room) out[count] = i;
            count++;
        }
    return count;
}

int cudnnBackendGetAttribute(const struct descriptor *d, int name, int type, int64_t room, int64_t *count, void *out) {
    (void)type;
    ENTER("cudnnBackendGetAttribute");
    if (!null_is_object(d, OBJECT_BACKEND) || !d->finished) return NOT_FINISHED;
    *count = -1;
    if (d->type == D_HEURISTICS && name == A_HEUR_RESULTS) *count = fill(d, D_CONFIGURATION, d->plans, room, out);
    if (d->type == D_CONFIGURATION && name == A_ENGINE) *count = fill(d, D_ENGINE, 1, room, out);
    if (d->type == D_ENGINE && name == A_NOTES) *count = notes(d->plan[0].notes, room, out);
    if (d->type == D_ENGINE && name == A_INDEX || d->type == D_PLAN && name == A_PLAN_WORKSPACE) {
        *count = 1;
        *(int64_t *)out = name == A_INDEX ? d->plan[0].engine : d->plan[0].workspace;
    }
    return *count < 0 ? BAD_PARAM : 0;
}

static char *address_of(const struct descriptor *pack, int64_t name) {
    const struct attribute *names = attribute_of(pack, A_NAMES, T_INT64);
    for (int i = 0; i < names->count; i++)
        if (((const int64_t *)names->value)[i] == name)
            return ((char *const *)attribute_of(pack, A_ADDRESSES, T_ADDRESS)->value)[i];
    return NULL;
}

int cudnnBackendExecute(void *handle, const struct descriptor *plan, const struct descriptor *pack) {
    ENTER("cudnnBackendExecute");
    if (!null_is_object(handle, OBJECT_DNN)) return NOT_INITIALIZED;
    if (!null_is_object(plan, OBJECT_BACKEND) || !null_is_object(pack, OBJECT_BACKEND)) return BAD_PARAM;
    if (plan->type != D_PLAN || pack->type != D_PACK || !plan->finished || !pack->finished) return NOT_FINISHED;
    const struct operation *o = &plan->operation;
    size_t needed = plan->plan[0].workspace;
    if (needed && !null_is_device(pointer_at(pack, A_WORKSPACE, T_ADDRESS), needed)) return SIZE_INSUFFICIENT;
    char *data[3];
    for (int i = 0; i < 3; i++) {
        data[i] = address_of(pack, o->name[i]);
        if (!data[i]) return BAD_PARAM;
        if ((uintptr_t)data[i] % o->alignment[i]) return MISALIGNED;
    }
    if (!plan->plan[0].runs) return EXECUTION_FAILED;
    return convolve(o->way, o->alpha, o->beta, &o->tensor[0], &o->tensor[1], &o->convolution, &o->tensor[2], data[0],
                    data[1], data[2]);
}

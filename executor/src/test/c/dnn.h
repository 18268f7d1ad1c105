#ifndef DNN_H
#define DNN_H
#endif

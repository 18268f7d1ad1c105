package dev.headroom.model.cudnn;

/**
 * What cuDNN's heuristics look at of a GPU. The architecture decides; the number of multiprocessors matters on compute
 * capability 7.5 only.
 *
 * @param major compute capability
 * @param minor compute capability
 * @param sms streaming multiprocessors
 */
public record CudnnDevice(int major, int minor, int sms) {}

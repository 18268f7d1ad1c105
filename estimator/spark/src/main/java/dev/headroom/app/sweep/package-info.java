/**
 * Sweeps on Apache Spark, within the package of sweeps. {@link dev.headroom.app.sweep.SparkSweep} is the driver, {@link
 * dev.headroom.app.sweep.SparkRows} what executors do.
 */
@NullMarked
package dev.headroom.app.sweep;

import org.jspecify.annotations.NullMarked;

/**
 * The workspaces of cuDNN's convolutions, which shapes alone do not tell. Three levels, of which the first that has an
 * answer counts: a cuDNN that is installed is <em>asked</em>; rules <em>distilled</em> from many such answers ({@link
 * DistilledWorkspaces}); and <em>bounds</em> where neither applies ({@link BoundedWorkspaces}). {@link
 * WorkspaceSources} puts them in order, and corrects what cuDNN answers otherwise where a GPU's driver is ({@link
 * DriverPlans}).
 */
@NullMarked
package dev.headroom.estimator.cudnn;

import org.jspecify.annotations.NullMarked;

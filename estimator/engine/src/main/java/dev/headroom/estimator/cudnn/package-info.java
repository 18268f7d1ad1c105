/**
 * The workspaces of cuDNN convolutions, which shapes alone don't tell: what PyTorch asks cuDNN, and where the answer comes
 * from. Three levels, of which the first that has an answer counts: a cuDNN that is installed here is <em>asked</em>;
 * rules <em>distilled</em> from many such answers; and <em>bounds</em> where neither applies. A new source of answers
 * implements {@link dev.headroom.model.cudnn.WorkspaceSource} and is named in {@code META-INF/services}.
 */
package dev.headroom.estimator.cudnn;

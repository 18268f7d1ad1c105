/**
 * Readers that turn files into graphs. {@link Importers} chooses the reader by the file; {@link Pt2Importer} reads
 * archives of {@code torch.export}. A new format implements {@link Importer} and is named in {@code META-
 * INF/services}. Files are hostile until read: sizes are capped, and whatever is wrong with one becomes a {@link
 * dev.headroom.model.error.UserInputException}.
 */
@NullMarked
package dev.headroom.model.importer;

import org.jspecify.annotations.NullMarked;

/**
 * The page of {@code --report}: one file of HTML with the timeline of every tensor, which needs no network. {@link
 * Page} puts the data into the template; the scripts lie in this package's resources.
 */
@NullMarked
package dev.headroom.app.page;

import org.jspecify.annotations.NullMarked;

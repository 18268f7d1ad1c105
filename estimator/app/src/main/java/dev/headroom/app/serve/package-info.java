/**
 * {@code headroom serve}: predictions over HTTP, and a page that asks for them. {@link
 * dev.headroom.app.serve.Service} puts Jetty and the {@link dev.headroom.app.serve.Endpoints} together; every answer is
 * computed by {@link dev.headroom.app.serve.Workers}, which hold the limits.
 */
@NullMarked
package dev.headroom.app.serve;

import org.jspecify.annotations.NullMarked;

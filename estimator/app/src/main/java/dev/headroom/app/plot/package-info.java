/** Pictures of a run for papers and chats. */
package dev.headroom.app.plot;

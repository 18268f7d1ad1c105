/** Runs as one page of HTML that needs nothing but a browser. */
package dev.headroom.app.page;

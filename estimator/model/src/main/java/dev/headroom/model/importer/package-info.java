/** Readers that turn model files into graphs. */
package dev.headroom.model.importer;

/** The catalogue of graphics cards. */
package dev.headroom.model.device;

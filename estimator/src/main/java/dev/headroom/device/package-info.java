/** The catalogue of graphics cards. */
package dev.headroom.device;

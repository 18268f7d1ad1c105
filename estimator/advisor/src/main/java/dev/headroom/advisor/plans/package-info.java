/** What to change so that a run fits, or so that a larger one does: plans, each verified by simulating it. */
package dev.headroom.advisor.plans;

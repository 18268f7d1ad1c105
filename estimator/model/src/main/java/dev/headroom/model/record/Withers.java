package dev.headroom.model.record;

import io.soabase.recordbuilder.core.RecordBuilder;

/** Gives a record a method {@code withX} for each component: the same record with another value of it. */
@RecordBuilder.Template(
        options =
                @RecordBuilder.Options(
                        suffix = "Withers",
                        buildMethodName = "toRecord",
                        enableGetters = false,
                        addStaticBuilder = false))
public @interface Withers {}

package dev.headroom.model.importer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.SymExpr;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class Pt2ImporterTest {
    @TempDir
    Path folder;

    private static Argument added(Path folder, String argument) {
        Graph graph = Importers.read(Archives.changed(
                        "{\"name\": \"input\",",
                        "{\"name\": \"new\", \"arg\": " + argument + "}, {\"name\": \"input\",")
                .write(folder));
        return graph.nodes().get(0).arguments().get(0).value();
    }

    @Test
    void readsTheSmallestProgram() {
        Graph graph = Importers.read(Archives.sound().write(folder));
        assertEquals("net", graph.name());
        assertEquals("linear", graph.nodes().get(0).name());
        assertEquals(new Graph.SymbolRange(2, 64, 4L), graph.symbols().get("s0"));
    }

    @Test
    void readsStoredEntriesAndAnyRoot() {
        Path file = Archives.empty()
                .with("other root/models/model.json", Archives.PROGRAM)
                .with("other root/archive_format", "pt2")
                .stored()
                .write(folder);
        assertEquals(1, Importers.read(file).nodes().size());
    }

    @Test
    void readsTheFlatLayoutOfOlderVersions() {
        Path file = Archives.empty()
                .with("serialized_exported_program.json", Archives.PROGRAM)
                .write(folder);
        assertEquals(1, Importers.read(file).nodes().size());
    }

    @Test
    void recognisesAnArchiveByItsContent() throws Exception {
        Path file = Archives.sound().write(folder);
        Path renamed = Files.move(file, folder.resolve("weights.bin"));
        assertEquals("weights.bin", Importers.read(renamed).name());
    }

    @Test
    void takesTheOnlyModelOrTheOneCalledModel() {
        Archives two =
                Archives.empty().with("r/models/a.json", Archives.PROGRAM).with("r/models/b.json", Archives.PROGRAM);
        UserInputException e = assertThrows(UserInputException.class, () -> Importers.read(two.write(folder)));
        assertTrue(e.getMessage().contains("[a, b]"), e.getMessage());
        assertEquals(
                1,
                Importers.read(two.with("r/models/model.json", Archives.PROGRAM).write(folder))
                        .nodes()
                        .size());
        Path one = Archives.empty().with("r/models/b.json", Archives.PROGRAM).write(folder);
        assertEquals(1, Importers.read(one).nodes().size());
    }

    @Test
    void toleratesWhatItDoesNotKnow() {
        assertEquals(new Argument.Other("as_thing", ""), added(folder, "{\"as_thing\": [{\"a\": [1]}]}"));
        assertEquals(new Argument.Other("as_scalar_type", "77"), added(folder, "{\"as_scalar_type\": 77}"));
        Graph graph =
                Importers.read(Archives.changed("\"metadata\": {}", "\"metadata\": {}, \"new\": {\"graph\": [[{}], 1]}")
                        .write(folder));
        assertEquals(1, graph.nodes().size());
    }

    @Test
    void readsArgumentsOfEveryKind() {
        assertEquals(new Argument.Int(SymExpr.of(-3)), added(folder, "{\"as_int\": -3}"));
        assertEquals(new Argument.Int(SymExpr.of(7)), added(folder, "{\"as_sym_int\": {\"as_int\": 7}}"));
        assertEquals(new Argument.Float(1e-5), added(folder, "{\"as_float\": 1e-05}"));
        assertEquals(new Argument.Float(Double.POSITIVE_INFINITY), added(folder, "{\"as_float\": \"Infinity\"}"));
        assertEquals(new Argument.Text("none"), added(folder, "{\"as_string\": \"none\"}"));
        assertEquals(
                new Argument.Device("cuda:1"), added(folder, "{\"as_device\": {\"type\": \"cuda\", \"index\": 1}}"));
        assertEquals(new Argument.None(), added(folder, "{\"as_optional_tensor\": {\"as_none\": true}}"));
        assertEquals(
                new Argument.Value("x"), added(folder, "{\"as_optional_tensor\": {\"as_tensor\": {\"name\": \"x\"}}}"));
    }

    @Test
    void otherSchemasAreNamed() {
        Path file = Archives.changed("\"major\": 8", "\"major\": 9").write(folder);
        String message = assertThrows(UserInputException.class, () -> Importers.read(file))
                .getMessage();
        assertTrue(message.contains("schema 9 is not supported"), message);
        Path stranger = Archives.changed("\"major\": 8", "\"major\": 9")
                .with(
                        "r/models/model.json",
                        Archives.PROGRAM
                                .replace("\"major\": 8", "\"major\": 7")
                                .replace("\"nodes\": [", "\"nodes\": [5, "))
                .write(folder);
        message = assertThrows(UserInputException.class, () -> Importers.read(stranger))
                .getMessage();
        assertTrue(message.contains("schema 7 is not supported"), message);
    }

    @Test
    void buffersThatTheProgramChangesAreOutputs() {
        Path file = Archives.changed(
                        "\"output_specs\": [",
                        "\"output_specs\": [{\"buffer_mutation\": {\"arg\": {\"name\": \"y\"}, \"buffer_name\": \"m\"}}, ")
                .write(folder);
        assertEquals(
                new Graph.Output(Graph.OutputKind.MUTATION, "y", "m"),
                Importers.read(file).outputs().get(0));
    }

    @Test
    void parametersThatTheGraphLacksAreHeld() {
        Path file = Archives.sound()
                .with(
                        "r/data/weights/model_weights_config.json",
                        "{\"config\": {\"w\": {\"path_name\": \"weight_0\", \"is_param\": true, \"use_pickle\": false,"
                                + " \"tensor_meta\": META(3,2)}, \"block.extra\": {\"path_name\": \"weight_0\","
                                + " \"is_param\": true, \"use_pickle\": false, \"tensor_meta\": META(5,5)}}}")
                .write(folder);
        Graph graph = Importers.read(file);
        assertEquals(java.util.List.of("w", "block.extra"), graph.state());
        assertEquals(java.util.List.of("", "block"), graph.held().modules());
    }

    @Test
    void tensorsInOneRecordShareStorage() {
        String tensor =
                "{\"path_name\": \"weight_0\", \"is_param\": true, \"use_pickle\": false, \"tensor_meta\": META(3,2)}";
        Archives archive = Archives.sound()
                .with(
                        "r/data/weights/model_weights_config.json",
                        "{\"config\": {\"w\": " + tensor + ", \"v\": " + tensor + "}}");
        assertEquals(
                "v",
                Importers.read(archive.write(folder)).held().tensors().get("v").storage(),
                "no data, no evidence");
        archive.with("r/data/weights/weight_0", new byte[24]);
        assertEquals(
                "w",
                Importers.read(archive.write(folder)).held().tensors().get("v").storage());
    }
}

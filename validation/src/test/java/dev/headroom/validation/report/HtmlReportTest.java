package dev.headroom.validation.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.validation.runs.Scores;
import dev.headroom.validation.runs.Validation;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

class HtmlReportTest {
    private static final Pattern SCRIPT = Pattern.compile("<script[^>]*>(.*?)</script>", Pattern.DOTALL);

    private static String page() {
        Validation validation = MadeUp.validation();
        StringWriter out = new StringWriter();
        HtmlReport.write(validation, Scores.of(validation.outcomes()), List.of("too <far> off"), out);
        return out.toString();
    }

    /** Without what is no markup: scripts and the style. */
    private static Document markup(String page) throws ParserConfigurationException, IOException, SAXException {
        String bare = SCRIPT.matcher(page)
                .replaceAll("")
                .replaceAll("(?s)<style>.*?</style>", "")
                .replace("<!DOCTYPE html>", "");
        return DocumentBuilderFactory.newDefaultInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(bare)));
    }

    @Test
    void thePageIsWellFormedWhateverNamesHold() throws ParserConfigurationException, IOException, SAXException {
        Document page = markup(page());
        assertEquals(0, page.getElementsByTagName("b").getLength());
        String text = page.getDocumentElement().getTextContent();
        assertTrue(text.contains("mine </script><b onload='x'>&?"), text);
        assertTrue(text.contains("too <far> off"));
        assertTrue(text.contains("fits, measured OOM"));
    }

    @Test
    void everyRunHasARow() throws ParserConfigurationException, IOException, SAXException {
        Document page = markup(page());
        long rows = 0;
        for (int i = 0; i < page.getElementsByTagName("table").getLength(); i++) {
            var table = (org.w3c.dom.Element) page.getElementsByTagName("table").item(i);
            if (table.getAttribute("id").equals("runs")) {
                rows = table.getElementsByTagName("tr").getLength();
            }
        }
        assertEquals(1 + 2, rows);
    }

    @Test
    void theDataEndsWhereItShould() throws JsonProcessingException {
        Matcher scripts = SCRIPT.matcher(page());
        assertTrue(scripts.find() && scripts.group(1).length() > 500_000, "the charting library");
        assertTrue(scripts.find());
        assertEquals(
                MadeUp.HOSTILE,
                new ObjectMapper()
                        .readTree(scripts.group(1))
                        .at("/outcomes/0/name")
                        .asText());
        assertTrue(scripts.find() && scripts.group(1).contains("\"use strict\""));
        assertFalse(scripts.find());
    }

    @Test
    void nothingIsFetched() throws ParserConfigurationException, IOException, SAXException {
        Document page = markup(page());
        for (String element : List.of("link", "img", "iframe")) {
            assertEquals(0, page.getElementsByTagName(element).getLength(), element);
        }
        assertTrue(page().contains("default-src 'none'"));
    }
}

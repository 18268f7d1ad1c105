package dev.headroom.app.page;

import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;
import static dev.headroom.model.scenario.ParallelSettings.ZERO_OPTIMIZER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.headroom.estimator.timeline.PlayedRun;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.units.Mib;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;

/** The page in a real browser. */
class PageBrowserTest {
    private static final PlayedRun FITS = Pages.played("resnet18-i224.pt2", 4, 2, null);
    private static final PlayedRun FAILS = Pages.played("resnet18-i224.pt2", 64, 2, 512L << 20);

    @TempDir
    private static Path folder;

    private static Browser browser;
    private static Path page;

    @BeforeAll
    static void start() throws Exception {
        browser = Browser.start().orElse(null);
        page = folder.resolve("run.html");
        Files.writeString(
                page, Pages.html(PageRun.explained("as asked", FITS), Pages.unexplained("--batch 64", FAILS)));
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void open() {
        assumeTrue(browser != null, Browser.MISSING);
        browser.screen(1280, 900);
        browser.media("screen", "light");
        browser.open(page);
    }

    @AfterEach
    void nothingWentWrong() {
        if (browser != null) {
            assertEquals(List.of(), browser.complaints());
        }
    }

    private static WebElement find(String css) {
        return browser.driver.findElement(By.cssSelector(css));
    }

    private static String cell(int row, int column) {
        return browser.text(
                "document.querySelectorAll('#layers-rows tbody tr')[" + row + "].cells[" + column + "].textContent");
    }

    @Test
    void opensWithoutAskingTheNetwork() {
        assertEquals(0, browser.number("performance.getEntriesByType('resource').length"));
        assertTrue(find("#verdict").getText().startsWith("Fits on NVIDIA GeForce RTX 3090"));
        assertTrue(find("#peaks")
                .getText()
                .contains(Mib.text(FITS.prediction().peak().reserved())));
        assertTrue(browser.number("echarts.getInstanceByDom(document.getElementById('timeline-chart'))"
                        + ".getZr().storage.getDisplayList().length")
                > 20);
    }

    @Test
    void ranksStandSideBySide() throws Exception {
        assertFalse(find("#ranks").isDisplayed());
        PlayedRun run = Pages.spread("resnet18-i224.pt2", 4, scenario -> scenario.with(PARALLEL, ParallelKind.DDP)
                .with(WORLD, 3)
                .with(ZERO_OPTIMIZER, true));
        PlayedRun devices = Pages.spread("resnet18-i224.pt2", 4, scenario -> scenario.with(PARALLEL, ParallelKind.DP)
                .with(WORLD, 2));
        Path several = folder.resolve("ranks.html");
        Files.writeString(several, Pages.html(Pages.unexplained("ddp", run), Pages.unexplained("dp", devices)));
        browser.open(several);
        List<WebElement> rows = browser.driver.findElements(By.cssSelector("#ranks-rows tbody tr"));
        assertEquals(run.prediction().ranks().size(), rows.size());
        assertTrue(
                rows.get(0).getText().startsWith(run.prediction().ranks().get(0).words()));
        assertTrue(rows.get(0).getText().endsWith("yes"), rows.get(0).getText());
        find("#runs label:nth-of-type(2)").click();
        browser.until("document.querySelectorAll('#ranks-rows tbody tr').length === 2");
        assertTrue(find("#ranks-rows tbody tr").getText().startsWith("GPU 0"));
    }

    @Test
    void theExplanationCanBeOpened() {
        List<WebElement> questions = browser.driver.findElements(By.cssSelector("#findings summary"));
        assertTrue(questions.size() > 3);
        assertEquals("What makes the peak?", questions.get(0).getText());
        assertTrue(find("#findings li")
                .getText()
                .contains(Mib.text(FITS.prediction().peak().allocated())));
        questions.get(3).sendKeys(Keys.ENTER);
        browser.until("document.querySelectorAll('#findings details')[3].open");
    }

    @Test
    void theCursorNamesWhatIsAlive() {
        WebElement chart = find("#timeline-chart");
        chart.sendKeys(Keys.HOME, "p");
        browser.until("document.getElementById('moment-text').textContent.includes('"
                + Mib.text(FITS.prediction().peak().allocated()) + " allocated')");
        assertEquals(String.valueOf(FITS.timeline().peak()), chart.getAttribute("aria-valuenow"));
        String largest = find("#tensors tbody tr").getText();
        assertTrue(largest.contains("float32 [") && largest.contains("step 1"), largest);
        String before = chart.getAttribute("aria-valuetext");
        chart.sendKeys(Keys.chord(Keys.SHIFT, Keys.ARROW_RIGHT));
        browser.until("document.getElementById('timeline-chart').getAttribute('aria-valuenow') == "
                + (FITS.timeline().peak() + 1));
        assertNotEquals(before, chart.getAttribute("aria-valuetext"));
        browser.until("document.getElementById('moment-live').textContent.startsWith('Largest: ')");
    }

    @Test
    void theCursorFollowsThePointerUntilItIsHeld() {
        WebElement chart = find("#timeline-chart");
        String[] seen = new String[3];
        for (int i = 0; i < 3; i++) {
            new Actions(browser.driver).moveToElement(chart, 100 * (i - 1), -20).perform();
            if (i == 1) {
                new Actions(browser.driver).click().perform();
                browser.until("document.getElementById('moment-title').textContent.endsWith('(held)')");
            }
            browser.script("return new Promise(requestAnimationFrame)");
            seen[i] = chart.getAttribute("aria-valuenow");
        }
        assertTrue(find("#timeline-chart .tip").getText().contains("float32 ["));
        assertNotEquals(seen[0], seen[1]);
        assertEquals(seen[1], seen[2]);
    }

    @Test
    void layersAreSortedAndSearched() {
        List<WebElement> heads = browser.driver.findElements(By.cssSelector("#layers-rows th button"));
        heads.get(6).click();
        long largest = FITS.prediction().layers().stream()
                .mapToLong(layer -> layer.peakShare())
                .max()
                .orElseThrow();
        assertEquals(Mib.number(largest), cell(0, 6));
        assertEquals("descending", find("#layers-rows th:nth-child(7)").getAttribute("aria-sort"));
        assertTrue(Double.parseDouble(cell(1, 6)) <= Double.parseDouble(cell(0, 6)));
        find("#layers-search").sendKeys("layer2 batch");
        long found = FITS.prediction().layers().stream()
                .filter(layer ->
                        layer.module().contains("layer2") && layer.operator().contains("batch"))
                .count();
        assertTrue(found > 0);
        assertEquals(found, browser.number("document.querySelectorAll('#layers-rows tbody tr').length"));
        assertTrue(cell(0, 0).startsWith("layer2."));
    }

    @Test
    void modulesAndBlocksAreReachedByKeys() {
        WebElement icicle = find("#icicle-chart");
        icicle.sendKeys(Keys.ARROW_DOWN);
        assertTrue(find("#icicle-text").getText().startsWith("conv1: "));
        icicle.sendKeys(Keys.ENTER);
        assertTrue(find("#crumbs").getText().endsWith("conv1"));
        find("#icicle-table summary").click();
        browser.until("document.querySelectorAll('#icicle-table tbody tr').length > 10");
        WebElement map = find("#segments-chart");
        map.sendKeys(Keys.HOME);
        String first = find("#segments-text").getText();
        map.sendKeys(Keys.ARROW_RIGHT);
        assertTrue(first.contains("segment 1 of"));
        assertNotEquals(first, find("#segments-text").getText());
    }

    @Test
    void nothingKeepsOtherReadersOut() throws Exception {
        String axe;
        try (InputStream in = getClass().getResourceAsStream("/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js")) {
            axe = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        for (String scheme : new String[] {"light", "dark"}) {
            browser.media("screen", scheme);
            browser.script("document.querySelectorAll('details').forEach(d => d.open = true)");
            List<?> found = (List<?>) browser.driver.executeAsyncScript(axe
                    + "; axe.run().then(r => arguments[0]([r.passes.length, r.violations.map("
                    + "v => v.id + ': ' + v.nodes[0].html)]))");
            assertTrue(((Number) found.get(0)).intValue() > 40);
            assertEquals(List.of(), found.get(1));
        }
        // Chromium has an opinion on how axe reads its canvas.
        browser.complaints();
    }

    @Test
    void everyControlHasANameAndTakesTheFocus() {
        List<WebElement> controls =
                browser.driver.findElements(By.cssSelector("button, select, input, summary, nav a, [tabindex]"));
        int visible = 0;
        for (WebElement control : controls) {
            if (control.isDisplayed()) {
                visible++;
                assertFalse(control.getAccessibleName().isBlank(), control.getAttribute("outerHTML"));
                assertTrue(((Number) browser.driver.executeScript("return arguments[0].tabIndex", control)).intValue()
                        >= 0);
            }
        }
        assertTrue(visible > 20);
        assertEquals(0, browser.number("document.querySelectorAll('h1').length - 1"));
        assertEquals(1, browser.number("document.querySelectorAll('main').length"));
    }

    @Test
    void scenariosStandSideBySide() {
        assertEquals(2, browser.number("document.querySelectorAll('#comparison-rows tbody tr').length"));
        assertTrue(find("#comparison-rows").getText().contains("does not fit"));
        browser.driver.findElements(By.cssSelector("input[name=run]")).get(1).click();
        assertTrue(find("#verdict").getText().startsWith("Does not fit"));
        browser.until("document.querySelectorAll('input[name=map]').length");
        assertEquals(2, browser.number("document.querySelectorAll('input[name=map]').length"));
        assertTrue(find("#segments-lead").getText().contains("at the peak"));
    }

    @Test
    void aRunWithoutMemoryHasNothingToDraw() throws Exception {
        Path nothing = folder.resolve("nothing.html");
        PlayedRun none = Pages.played("resnet18-i224.pt2", 4, 2, 1L << 20);
        Files.writeString(nothing, Pages.html(Pages.unexplained("none", none), Pages.unexplained("all", FITS)));
        browser.open(nothing);
        assertFalse(find("#timeline").isDisplayed());
        assertFalse(find("#sections").getText().contains("Timeline"));
        browser.driver.findElements(By.cssSelector("input[name=run]")).get(1).click();
        assertTrue(find("#timeline").isDisplayed());
        assertTrue(find("#sections").getText().contains("Timeline"));
        assertTrue(find("#timeline-chart canvas").getSize().getWidth() > 1000);
    }

    @Test
    void aPhoneNeedsNoScrollingSideways() {
        browser.screen(375, 700);
        browser.open(page);
        for (String open : new String[] {"#icicle-table", "#segments-table"}) {
            browser.script("document.querySelector('" + open + "').open = true");
        }
        assertEquals(375, browser.number("document.documentElement.scrollWidth"));
        String wide = "[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > 376"
                + " && getComputedStyle(e).position !== 'absolute').map(e => e.outerHTML.slice(0, 90)).join()";
        assertEquals("", browser.text(wide));
    }

    @Test
    void aFingerMovesTheCursor() {
        browser.screen(375, 700);
        browser.driver.executeCdpCommand("Emulation.setTouchEmulationEnabled", Map.of("enabled", true));
        browser.open(page);
        browser.script("document.getElementById('timeline-chart').scrollIntoView({ block: 'center' })");
        Map<String, Object> tap = Map.of("x", browser.number("Math.round(innerWidth / 3)"), "y", 350);
        String before = find("#timeline-chart").getAttribute("aria-valuenow");
        browser.driver.executeCdpCommand(
                "Input.dispatchTouchEvent", Map.of("type", "touchStart", "touchPoints", List.of(tap)));
        browser.driver.executeCdpCommand(
                "Input.dispatchTouchEvent", Map.of("type", "touchEnd", "touchPoints", List.of()));
        browser.until("document.getElementById('moment-title').textContent.endsWith('(held)')");
        assertNotEquals(before, find("#timeline-chart").getAttribute("aria-valuenow"));
        browser.driver.executeCdpCommand("Emulation.setTouchEmulationEnabled", Map.of("enabled", false));
    }

    @Test
    void darkAndLightFollowTheSystemAndTheSwitch() {
        String light = browser.text("getComputedStyle(document.body).backgroundColor");
        browser.media("screen", "dark");
        String dark = browser.text("getComputedStyle(document.body).backgroundColor");
        assertNotEquals(light, dark);
        find("#theme option[value=light]").click();
        assertEquals(light, browser.text("getComputedStyle(document.body).backgroundColor"));
        String ink = "echarts.getInstanceByDom(document.getElementById('timeline-chart')).getOption().textStyle.color";
        String dayInk = browser.text(ink);
        find("#theme option[value=dark]").click();
        assertNotEquals(dayInk, browser.text(ink));
        browser.script("localStorage.clear()");
    }

    @Test
    void paperIsLightAndHasNoControls() {
        browser.media("screen", "dark");
        browser.open(page);
        browser.media("print", "dark");
        browser.until("getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)'");
        assertFalse(find("#theme").isDisplayed());
        assertFalse(find("#layers-search").isDisplayed());
        browser.until("echarts.getInstanceByDom(document.getElementById('timeline-chart')).getOption().textStyle.color"
                + " === 'rgb(29, 35, 41)'");
        Map<String, Object> pdf = browser.driver.executeCdpCommand("Page.printToPDF", Map.of("printBackground", true));
        assertTrue(String.valueOf(pdf.get("data")).length() > 10_000);
    }

    @Test
    void markupInNamesIsText() throws Exception {
        Path hostile = folder.resolve("hostile.html");
        Files.writeString(hostile, Pages.html(Pages.unexplained(Pages.HOSTILE, Pages.hostile())));
        browser.open(hostile);
        assertEquals(Pages.HOSTILE, browser.text("document.getElementById('model').textContent"));
        assertTrue(browser.text("document.getElementById('layers-rows').textContent")
                .contains(Pages.HOSTILE));
        assertEquals(0, browser.number("document.querySelectorAll('b, main img').length"));
    }
}

package dev.headroom.app.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.headroom.app.page.Browser;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The service's page in a real browser. */
class ServePageTest {
    private static final Path MODELS = Path.of("../../fixtures/models");

    private static Browser browser;
    private static Service service;

    @BeforeAll
    static void start() throws Exception {
        browser = Browser.start().orElse(null);
        service = Service.start(
                "127.0.0.1", 0, new Limits(64 << 20, Duration.ofSeconds(60), 2, 64, 64 << 20, MODELS, null));
    }

    @AfterAll
    static void stop() throws Exception {
        service.close();
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void there() {
        assumeTrue(browser != null, Browser.MISSING);
        browser.screen(1280, 900);
        browser.media("screen", "light");
        open("#model=resnet18-i224.pt2&batch=16&gpu=rtx-3060");
    }

    @AfterEach
    void nothingWentWrong() {
        if (browser != null) {
            assertEquals(List.of(), browser.complaints());
        }
    }

    private static void open(String hash) {
        browser.driver.get("about:blank"); // an address that differs in its hash alone opens nothing
        browser.driver.get("http://127.0.0.1:" + service.port() + "/" + hash);
        browser.until("document.documentElement.dataset.ready");
        settled();
    }

    /** Waits for verdict and advice. */
    private static void settled() {
        browser.until("!document.querySelector('[aria-busy=true]')");
    }

    private static WebElement find(String css) {
        return browser.driver.findElement(By.cssSelector(css));
    }

    /** Waits until the verdict says something else. */
    private static String verdictAfter(Runnable change) {
        browser.script("window.before = document.querySelector('#verdict').textContent");
        change.run();
        browser.until("document.querySelector('#verdict').textContent !== window.before");
        settled();
        return find("#verdict").getText();
    }

    @Test
    void answersWhatTheAddressAsks() {
        assertTrue(
                find("#verdict").getText().contains("Fits on NVIDIA GeForce RTX 3060"),
                find("#verdict").getText());
        assertEquals("16", find("#batch").getAttribute("value"));
        assertEquals("resnet18-i224.pt2", find("#model").getAttribute("value"));
        assertFalse(find("#seq").isDisplayed());
        assertTrue(browser.number("document.querySelectorAll('#chart polygon').length") > 3);
        assertTrue(
                find("#plans").getText().contains("Largest batch"),
                find("#plans").getText());
        assertEquals(
                "headroom predict resnet18-i224.pt2 --batch 16 --gpu rtx-3060",
                find("#command").getAttribute("textContent"));
    }

    @Test
    void followsSlidersAndTheirKeys() {
        String less = find("#verdict").getText();
        String more = verdictAfter(() -> find("#batch-range").sendKeys(Keys.END));
        assertNotEquals(less, more);
        assertEquals("1024", find("#batch").getAttribute("value"));
        assertTrue(more.contains("Does not fit"), more);
        assertTrue(browser.driver.getCurrentUrl().contains("batch=1024"), browser.driver.getCurrentUrl());
        String exact = verdictAfter(() -> {
            find("#batch").clear();
            find("#batch").sendKeys("20");
        });
        assertTrue(exact.contains("Fits"), exact);
    }

    @Test
    void everyControlIsAnOption() {
        for (String[] choice : new String[][] {
            {"precision", "amp=bf16", "amp=bf16"},
            {"optimizer", "sgd", "optimizer=sgd"},
            {"gpu", "a100-40gb", "gpu=a100-40gb"}
        }) {
            verdictAfter(() ->
                    find("#" + choice[0] + " option[value='" + choice[1] + "']").click());
            assertTrue(browser.driver.getCurrentUrl().contains(choice[2]), browser.driver.getCurrentUrl());
        }
        verdictAfter(() -> find("#checkpoint-range").sendKeys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT));
        assertTrue(browser.driver.getCurrentUrl().contains("checkpoint=2"), browser.driver.getCurrentUrl());
        find("#world-range").sendKeys(Keys.ARROW_RIGHT);
        browser.until("location.hash.includes('parallel=ddp')");
        settled();
        assertTrue(
                find("#plans").getText().startsWith("Strategies for 2 GPUs that fit"),
                find("#plans").getText());
        find("#plans .plan:last-child button").click();
        browser.until("location.hash.includes('rank=0')");
        settled();
        assertTrue(find("#verdict").getText().contains("Fits"), find("#verdict").getText());
    }

    @Test
    void linksWithinThePageLeaveTheAddressAlone() {
        String address = browser.driver.getCurrentUrl();
        find(".skip").sendKeys(Keys.ENTER);
        assertEquals(address, browser.driver.getCurrentUrl());
        assertEquals("result", browser.text("document.activeElement.id"));
    }

    @Test
    void furtherOptionsAreInTheAddress() {
        open("#model=resnet18-i224.pt2&batch=16&gpu=rtx-3060&accumulate=2&cudnn-benchmark=true");
        assertEquals("--accumulate 2 --cudnn-benchmark", find("#extra").getAttribute("value"));
        assertTrue(
                find("#command").getText().endsWith("--accumulate 2 --cudnn-benchmark"),
                find("#command").getText());
        browser.script("const e = document.getElementById('extra'); e.value = '--acumulate 2';"
                + " e.dispatchEvent(new Event('change'))");
        browser.until("document.querySelector('#verdict').textContent.includes('did you mean')");
        browser.complaints(); // of the answer 400
    }

    @Test
    void adviceCanBeTaken() {
        String before = find("#verdict").getText();
        String after = verdictAfter(() -> find("#plans .plan button").click());
        assertNotEquals(before, after);
        assertTrue(after.contains("Fits"), after);
        assertTrue(browser.driver.getCurrentUrl().contains("gpu=rtx-3060"));
    }

    @Test
    void takesAnArchive() {
        String name =
                MODELS.resolve("cnn-small.pt2").toAbsolutePath().normalize().toString();
        verdictAfter(() -> find("#file").sendKeys(name));
        assertEquals("cnn-small.pt2 is loaded.", find("#file-state").getText());
        assertTrue(browser.driver.getCurrentUrl().contains("model=upload-"));
        find("#file")
                .sendKeys(
                        MODELS.resolve("README.md").toAbsolutePath().normalize().toString());
        browser.until("document.querySelector('#file-state.bad')");
        browser.complaints(); // of the answer 400
    }

    @Test
    void theChartIsReadByKeys() {
        String peak = find("#moment").getText();
        assertTrue(peak.startsWith("At the peak"), peak);
        find("#chart").sendKeys(Keys.HOME);
        String first = find("#moment").getText();
        assertNotEquals(peak, first);
        assertEquals(first, find("#chart").getAttribute("aria-valuetext"));
        find("#chart").sendKeys("p");
        assertEquals(peak, find("#moment").getText());
    }

    @Test
    void phonesNeedNotScrollSideways() {
        browser.screen(360, 740);
        open("#model=resnet18-i224.pt2&batch=16&gpu=rtx-3060");
        assertEquals(360, browser.number("document.documentElement.scrollWidth"));
        assertTrue(find("#verdict").isDisplayed());
    }

    /** There the answer is below the controls: one line of it stays in sight while they are moved. */
    @Test
    void onPhonesTheVerdictIsBesideTheSliders() {
        assertFalse(find("#glance").isDisplayed());
        browser.screen(360, 740);
        browser.script("document.getElementById('batch').scrollIntoView({block: 'center'})");
        verdictAfter(() -> find("#batch-range").sendKeys(Keys.END));
        assertTrue(
                find("#glance").getText().startsWith("Does not fit"),
                find("#glance").getText());
        assertTrue(
                browser.number("Math.ceil(document.getElementById('glance').getBoundingClientRect().bottom)") <= 740);
    }

    @Test
    void everybodyCanReadIt() throws Exception {
        String axe;
        try (InputStream in = getClass().getResourceAsStream("/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js")) {
            axe = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        for (String scheme : List.of("light", "dark")) {
            browser.media("screen", scheme);
            browser.screen(scheme.equals("light") ? 1280 : 360, 900);
            open("#model=resnet18-i224.pt2&batch=1024&gpu=rtx-3060&accumulate=2");
            Object violations = browser.driver.executeAsyncScript(axe + "; axe.run().then(r => arguments[0]("
                    + "r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html).join(' '))))");
            assertEquals(List.of(), violations, scheme);
        }
        browser.complaints(); // Chromium has an opinion on how axe reads colours
    }
}

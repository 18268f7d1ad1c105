package dev.headroom.app.page;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** The system's Chromium without a window; nothing is downloaded. */
public final class Browser implements AutoCloseable {
    /** Scrolls at once, so that nothing moves away under a click. */
    private static final Map<String, String> STILL = feature("reduced-motion", "reduce");

    /** Selenium warns of every Chromium that is newer than itself; kept, or its level would be forgotten. */
    private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");

    /** Why a test is skipped where there is none. */
    public static final String MISSING =
            "no Chromium with its driver on the PATH: apt-get install chromium chromium-driver";

    public final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Starts it where there is one. */
    public static Optional<Browser> start() {
        Optional<Path> chromium = onPath("chromium", "chromium-browser", "google-chrome");
        Optional<Path> chromedriver = onPath("chromedriver");
        if (chromium.isEmpty() || chromedriver.isEmpty()) {
            return Optional.empty();
        }
        SELENIUM.setLevel(Level.SEVERE);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium.get().toFile());
        // Containers have neither user namespaces for the sandbox nor a large /dev/shm.
        options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver.get().toFile())
                .build();
        return Optional.of(new Browser(new ChromeDriver(service, options)));
    }

    private static Optional<Path> onPath(String... names) {
        String[] folders = System.getenv().getOrDefault("PATH", "").split(File.pathSeparator);
        return Stream.of(names)
                .flatMap(name -> Stream.of(folders).map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** A screen of so many CSS pixels. */
    public void screen(int width, int height) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
    }

    /**
     * What the page is told about its reader.
     *
     * @param medium {@code screen} or {@code print}
     * @param scheme {@code light} or {@code dark}
     */
    public void media(String medium, String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("media", medium, "features", List.of(feature("color-scheme", scheme), STILL)));
    }

    private static Map<String, String> feature(String name, String value) {
        return Map.of("name", "prefers-" + name, "value", value);
    }

    /** Opens a page and waits until all of it is drawn. */
    void open(Path page) {
        driver.get(page.toUri().toString());
        until("document.documentElement.dataset.ready");
    }

    public Object script(String script) {
        return driver.executeScript(script);
    }

    public String text(String script) {
        return String.valueOf(script("return " + script));
    }

    public long number(String script) {
        return ((Number) script("return " + script)).longValue();
    }

    /** Waits until an expression holds, for at most two minutes: a machine that builds meanwhile is slow. */
    public void until(String condition) {
        long end = System.nanoTime() + 120_000_000_000L;
        while (!Boolean.TRUE.equals(script("return Boolean(" + condition + ")"))) {
            if (System.nanoTime() > end) {
                throw new AssertionError("never came true: " + condition);
            }
        }
    }

    /** What the console has said since the last call. */
    public List<String> complaints() {
        List<String> lines = new ArrayList<>();
        for (LogEntry entry : driver.manage().logs().get(LogType.BROWSER)) {
            lines.add(entry.getMessage());
        }
        return lines;
    }

    @Override
    public void close() {
        driver.quit();
    }
}

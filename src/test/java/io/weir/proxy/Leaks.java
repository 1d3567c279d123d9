package io.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Fails a test class if Netty reports that a buffer was dropped without being released. */
public final class Leaks implements BeforeAllCallback, AfterAllCallback {

    private static final List<String> REPORTS = new CopyOnWriteArrayList<>();

    static {
        Logger logger = (Logger) LoggerFactory.getLogger(ResourceLeakDetector.class);
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                REPORTS.add(event.getFormattedMessage());
            }
        };
        appender.setContext(logger.getLoggerContext());
        appender.start();
        logger.addAppender(appender);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        REPORTS.clear();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        // a leak is found once the buffer is collected, and told of by the next allocations
        System.gc();
        for (int i = 0; i < 200; i++) {
            PooledByteBufAllocator.DEFAULT.directBuffer(16).release();
        }
        assertThat(REPORTS).isEmpty();
    }
}

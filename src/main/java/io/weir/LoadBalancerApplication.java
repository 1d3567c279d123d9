package io.weir;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** Starts Weir: the control plane (Spring) and the data plane (Reactor Netty) in one process. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class LoadBalancerApplication {

    private static final String LEAK_DETECTION = "io.netty.leakDetection.level";

    public static void main(String[] args) {
        // Netty would follow one buffer in 128 to find leaks, at a fortieth of the cost of a request; tests follow them
        // all
        if (System.getProperty(LEAK_DETECTION) == null) {
            System.setProperty(LEAK_DETECTION, "disabled");
        }
        SpringApplication.run(LoadBalancerApplication.class, args);
    }
}

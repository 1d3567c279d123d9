package io.weir;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.util.List;

/**
 * The shape of the code: who may know whom, which libraries, and where time and chance come from. To change a rule is to
 * change the design, so the ADR comes first; docs/adr/0001-package-layout.md is the one behind these.
 */
@AnalyzeClasses(packages = "io.weir", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    /** A package below the root, its own packages included, and those it may use. */
    private record Line(String name, List<String> mayUse) {

        static Line of(String name, String... mayUse) {
            return new Line(name, List.of(mayUse));
        }
    }

    /** Every package has its line. The root may use all of them, and nothing uses the root. */
    private static final List<Line> LAYOUT = List.of(
            Line.of("config"),
            Line.of("zone", "config"),
            Line.of("balance", "zone", "config"),
            Line.of("upstream", "balance", "zone", "config"),
            Line.of("proxy", "upstream", "zone", "config"),
            Line.of("control", "upstream", "zone", "config"),
            Line.of("metrics", "upstream", "zone", "config"));

    @ArchTest
    static final ArchRule packagesUseOnlyWhatTheirLineSays = layout();

    @ArchTest
    static final ArchRule packagesFormNoCycle =
            slices().matching("io.weir.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule configZoneAndBalanceArePlainJava = classes()
            .that()
            .resideInAnyPackage("io.weir.config..", "io.weir.zone..", "io.weir.balance..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("io.weir..", "java..", "org.jspecify..", "com.google.errorprone.annotations..");

    @ArchTest
    static final ArchRule upstreamIsPlainJavaAndLogs = classes()
            .that()
            .resideInAPackage("io.weir.upstream..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.weir..", "java..", "org.jspecify..", "com.google.errorprone.annotations..", "org.slf4j..");

    @ArchTest
    static final ArchRule proxyKnowsNoSpringPersistenceOrMicrometer = noClasses()
            .that()
            .resideInAPackage("io.weir.proxy..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework..", "jakarta..", "org.hibernate..", "io.micrometer..");

    /** A protocol is understood, and taken out, without the others. */
    @ArchTest
    static final ArchRule httpKnowsNoOtherProtocol = noClasses()
            .that()
            .resideInAPackage("io.weir.proxy.http..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.weir.proxy.stream..");

    @ArchTest
    static final ArchRule streamKnowsNoOtherProtocol = noClasses()
            .that()
            .resideInAPackage("io.weir.proxy.stream..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.weir.proxy.http..", "io.netty.handler.codec.http..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule loopKnowsNoProtocol = noClasses()
            .that()
            .resideInAPackage("io.weir.proxy.loop..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.weir.proxy.http..", "io.weir.proxy.stream..", "io.netty.handler.codec.http..");

    /** All protocols write their logs by it. */
    @ArchTest
    static final ArchRule logWriterIsPlainJavaAndLogs = classes()
            .that()
            .resideInAPackage("io.weir.proxy.log..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.weir.proxy.log..",
                    "io.weir.config..",
                    "java..",
                    "org.jspecify..",
                    "com.google.errorprone.annotations..",
                    "org.slf4j..");

    @ArchTest
    static final ArchRule controlKnowsNoNettyReactorOrMicrometer = noClasses()
            .that()
            .resideInAPackage("io.weir.control..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.netty..", "reactor..", "org.reactivestreams..", "io.micrometer..");

    /** docs/adr/0017-access-to-the-control-plane.md. */
    @ArchTest
    static final ArchRule onlyAccessKnowsSpringSecurity = noClasses()
            .that()
            .resideOutsideOfPackage("io.weir.control.access..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework.security..");

    @ArchTest
    static final ArchRule metricsKnowNoSpringOrNetty = noClasses()
            .that()
            .resideInAPackage("io.weir.metrics..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework..", "jakarta..", "io.netty..", "reactor..");

    /** Time is handed in, so that tests set it; {@code Ticker} is the one class that may wrap the real clock. */
    @ArchTest
    static final ArchRule kernelReadsNoClock = noClasses()
            .that()
            .resideInAnyPackage("io.weir.config..", "io.weir.zone..", "io.weir.balance..", "io.weir.upstream..")
            .and()
            .doNotHaveSimpleName("Ticker")
            .should()
            .accessTargetWhere(target("is a clock", ArchitectureTest::readsClock));

    /** Chance is handed in as a {@code RandomGenerator}, so that tests seed it. */
    @ArchTest
    static final ArchRule zoneAndBalanceMakeNoChance = noClasses()
            .that()
            .resideInAnyPackage("io.weir.zone..", "io.weir.balance..")
            .should()
            .accessTargetWhere(target("is a source of chance", ArchitectureTest::makesChance));

    private static ArchRule layout() {
        LayeredArchitecture rule = layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage("io.weir..")
                .ensureAllClassesAreContainedInArchitecture()
                .layer("root")
                .definedBy("io.weir");
        for (Line line : LAYOUT) {
            rule = rule.layer(line.name).definedBy("io.weir." + line.name + "..");
        }
        rule = rule.whereLayer("root").mayNotBeAccessedByAnyLayer();
        for (Line line : LAYOUT) {
            rule = line.mayUse.isEmpty()
                    ? rule.whereLayer(line.name).mayNotAccessAnyLayer()
                    : rule.whereLayer(line.name).mayOnlyAccessLayers(line.mayUse.toArray(String[]::new));
        }
        return rule;
    }

    private static boolean readsClock(String owner, String name) {
        return switch (owner) {
            case "java.lang.System" -> name.equals("nanoTime") || name.equals("currentTimeMillis");
            case "java.time.Clock", "java.time.InstantSource" -> true;
            case "java.util.Date" -> name.equals("<init>");
            default -> owner.startsWith("java.time.") && name.equals("now");
        };
    }

    private static boolean makesChance(String owner, String name) {
        return switch (owner) {
            case "java.lang.Math" -> name.equals("random");
            case "java.util.random.RandomGenerator" -> name.equals("of") || name.equals("getDefault");
            case "java.util.Random",
                    "java.util.SplittableRandom",
                    "java.util.concurrent.ThreadLocalRandom",
                    "java.security.SecureRandom",
                    "java.util.random.RandomGeneratorFactory" -> true;
            default -> false;
        };
    }

    private interface OwnerAndName {
        boolean matches(String owner, String name);
    }

    /** Method references count as much as calls. */
    private static DescribedPredicate<JavaAccess<?>> target(String description, OwnerAndName predicate) {
        return DescribedPredicate.describe(description, access -> {
            AccessTarget target = access.getTarget();
            return predicate.matches(target.getOwner().getFullName(), target.getName());
        });
    }
}

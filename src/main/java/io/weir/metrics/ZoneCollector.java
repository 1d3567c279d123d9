package io.weir.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.weir.config.ActiveConfig;
import io.weir.config.GroupProtocol;
import io.weir.metrics.Family.Gauge;
import io.weir.metrics.Family.Info;
import io.weir.upstream.UpstreamGroup;
import io.weir.upstream.Upstreams;
import io.weir.zone.ZoneSnapshot;
import java.time.Clock;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renders all upstream groups for Prometheus at each scrape, from the zones as they are then. Nothing is registered for
 * a peer, so nothing is left behind by one that was removed, and requests touch no meter.
 *
 * <p>Safe on every thread. Costs time in proportion to the peers; takes the lock of a zone for some peers at a time.
 */
public final class ZoneCollector implements MultiCollector {

    /** With more peers than this in all groups, histograms and failures by reason are left out. */
    static final int MOST_PEERS_IN_FULL = 200;

    private static final Logger log = LoggerFactory.getLogger(ZoneCollector.class);

    private final Upstreams upstreams;
    private final ActiveConfig config;
    private final EpochClock clock;
    private final BuildInfo build;
    private volatile boolean wasFull = true;

    public ZoneCollector(Upstreams upstreams, ActiveConfig config, Clock clock, BuildInfo build) {
        this.upstreams = upstreams;
        this.config = config;
        this.clock = new EpochClock(clock);
        this.build = build;
    }

    @Override
    public MetricSnapshots collect() {
        List<ZoneSnapshot> zones =
                upstreams.groups().stream().map(UpstreamGroup::snapshot).toList();
        boolean full =
                isFull(zones.stream().mapToInt(zone -> zone.peers().size()).sum());
        PeerFamilies peers = new PeerFamilies(clock);
        GroupFamilies groups = new GroupFamilies();
        RequestFamilies requests = new RequestFamilies();
        SessionFamilies sessions = new SessionFamilies();
        for (ZoneSnapshot zone : zones) {
            clock.follow(zone.takenNanos());
            List<Labels> labels = PeerFamilies.labels(zone);
            peers.add(zone, labels, full);
            groups.add(zone, full);
            if (zone.protocol() == GroupProtocol.HTTP) {
                requests.add(zone, labels, full);
            } else {
                sessions.add(zone, labels, full);
            }
        }
        Info buildInfo = new Info("weir_build", "Which Weir this is; always 1.");
        buildInfo.add(Labels.of("version", build.version(), "revision", build.revision()));
        Gauge revision = new Gauge("weir_config_revision", "Revision of the configuration that is applied.");
        revision.add(Labels.EMPTY, config.current().revision());
        return new MetricSnapshots(Stream.of(
                        peers.snapshots(),
                        groups.snapshots(),
                        requests.snapshots(),
                        sessions.snapshots(),
                        Stream.of(buildInfo.snapshot(), revision.snapshot()))
                .flatMap(family -> family)
                .toList());
    }

    private boolean isFull(int peers) {
        boolean full = peers <= MOST_PEERS_IN_FULL;
        if (wasFull && !full) {
            log.warn(
                    "{} peers: metrics leave out histograms and failures by reason, as for more than {} in all",
                    peers,
                    MOST_PEERS_IN_FULL);
        }
        wasFull = full;
        return full;
    }
}

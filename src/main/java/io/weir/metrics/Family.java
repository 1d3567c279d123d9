package io.weir.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import io.weir.zone.Counts;
import io.weir.zone.Durations;
import io.weir.zone.StatusClass;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * One metric family while a scrape fills it. The suffixes {@code _total} and {@code _info} are the exposition format's
 * affair and not part of the name here.
 *
 * @param <P> its kind of data points
 */
abstract class Family<P extends DataPointSnapshot> {

    private static final double NANOS_PER_SECOND = 1e9;

    /** The exposition wants the last bound spelled out. */
    private static final List<Double> BOUNDS = DoubleStream.concat(
                    Durations.BOUNDS_SECONDS.stream().mapToDouble(Double::doubleValue),
                    DoubleStream.of(Double.POSITIVE_INFINITY))
            .boxed()
            .toList();

    private final MetricMetadata metadata;
    private final List<P> points = new ArrayList<>();

    private Family(String name, String help) {
        metadata = new MetricMetadata(name, help);
    }

    final void add(P point) {
        points.add(point);
    }

    final MetricSnapshot snapshot() {
        return snapshot(metadata, points);
    }

    abstract MetricSnapshot snapshot(MetricMetadata metadata, List<P> points);

    static double seconds(long nanos) {
        return nanos / NANOS_PER_SECOND;
    }

    static final class Gauge extends Family<GaugeDataPointSnapshot> {

        Gauge(String name, String help) {
            super(name, help);
        }

        void add(Labels labels, double value) {
            add(new GaugeDataPointSnapshot(value, labels, null));
        }

        void add(Labels labels, long value) {
            add(labels, (double) value);
        }

        /** One series for each of {@code values}, 1 for {@code actual} and 0 for the others. */
        void addState(Labels labels, String label, List<String> values, String actual) {
            for (String value : values) {
                add(labels.add(label, value), value.equals(actual) ? 1 : 0);
            }
        }

        @Override
        MetricSnapshot snapshot(MetricMetadata metadata, List<GaugeDataPointSnapshot> points) {
            return new GaugeSnapshot(metadata, points);
        }
    }

    static final class Counter extends Family<CounterDataPointSnapshot> {

        Counter(String name, String help) {
            super(name, help);
        }

        void add(Labels labels, double value) {
            add(new CounterDataPointSnapshot(value, labels, null, 0));
        }

        void add(Labels labels, long value) {
            add(labels, (double) value);
        }

        /** A series for each status class. */
        void addClasses(Labels labels, Counts counts) {
            for (int i = 0; i < counts.size(); i++) {
                add(labels.add("code", StatusClass.text(i)), counts.get(i));
            }
        }

        @Override
        MetricSnapshot snapshot(MetricMetadata metadata, List<CounterDataPointSnapshot> points) {
            return new CounterSnapshot(metadata, points);
        }
    }

    static final class Histogram extends Family<HistogramDataPointSnapshot> {

        Histogram(String name, String help) {
            super(name, help);
        }

        void add(Labels labels, Durations durations) {
            add(new HistogramDataPointSnapshot(
                    ClassicHistogramBuckets.of(BOUNDS, list(durations.buckets())),
                    seconds(durations.sumNanos()),
                    labels,
                    Exemplars.EMPTY,
                    0));
        }

        private static List<Long> list(Counts counts) {
            List<Long> list = new ArrayList<>(counts.size());
            for (int i = 0; i < counts.size(); i++) {
                list.add(counts.get(i));
            }
            return list;
        }

        @Override
        MetricSnapshot snapshot(MetricMetadata metadata, List<HistogramDataPointSnapshot> points) {
            return new HistogramSnapshot(metadata, points);
        }
    }

    /** A sum and a count: enough for an average. */
    static final class Summary extends Family<SummaryDataPointSnapshot> {

        Summary(String name, String help) {
            super(name, help);
        }

        void add(Labels labels, long count, long sumNanos) {
            add(new SummaryDataPointSnapshot(count, seconds(sumNanos), Quantiles.EMPTY, labels, Exemplars.EMPTY, 0));
        }

        @Override
        MetricSnapshot snapshot(MetricMetadata metadata, List<SummaryDataPointSnapshot> points) {
            return new SummarySnapshot(metadata, points);
        }
    }

    /** Always 1; what it has to say is in the labels. */
    static final class Info extends Family<InfoDataPointSnapshot> {

        Info(String name, String help) {
            super(name, help);
        }

        void add(Labels labels) {
            add(new InfoDataPointSnapshot(labels));
        }

        @Override
        MetricSnapshot snapshot(MetricMetadata metadata, List<InfoDataPointSnapshot> points) {
            return new InfoSnapshot(metadata, points);
        }
    }
}

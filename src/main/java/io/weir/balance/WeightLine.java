package io.weir.balance;

import io.weir.zone.Peer;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Steady peers of one weight, which gain alike: their order by current weight does not change while none of them is picked.
 * A heap with the greatest current weight on top, the first of equals.
 */
final class WeightLine {

    final int weight;

    /** Its place in the tournament of its {@link Rounds}. */
    final int leaf;

    /** Where each peer of the tier is in its heap, by place; shared by all heaps, as a peer is in one at most. */
    private final int[] slots;

    /** Current weights apart from rounds, in heap order. */
    private long[] keys = new long[4];

    private int[] places = new int[4];
    private int size;

    WeightLine(int weight, int leaf, int[] slots) {
        this.weight = weight;
        this.leaf = leaf;
        this.slots = slots;
    }

    boolean isEmpty() {
        return size == 0;
    }

    long topKey() {
        return keys[0];
    }

    int topPlace() {
        return places[0];
    }

    /** Adds a peer; true if it is the new top. */
    boolean add(Peer peer) {
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, 2 * size);
            places = Arrays.copyOf(places, 2 * size);
        }
        return up(size++, peer.weightApartFromRounds(), peer.place()) == 0;
    }

    /** Removes a peer; true if it was the top. */
    boolean remove(int place) {
        int slot = slots[place];
        size--;
        if (slot < size) {
            put(slot, keys[size], places[size]);
        }
        return slot == 0;
    }

    /** Takes the changed key of a peer; true if there is another top now, or it has another key. */
    boolean update(Peer peer) {
        int slot = slots[peer.place()];
        return put(slot, peer.weightApartFromRounds(), peer.place()) == 0 || slot == 0;
    }

    private int put(int slot, long key, int place) {
        int to = up(slot, key, place);
        return to == slot ? down(slot, key, place) : to;
    }

    private int up(int from, long key, int place) {
        int slot = from;
        while (slot > 0) {
            int parent = (slot - 1) >>> 1;
            if (!isBefore(key, place, parent)) {
                break;
            }
            set(slot, keys[parent], places[parent]);
            slot = parent;
        }
        set(slot, key, place);
        return slot;
    }

    private int down(int from, long key, int place) {
        int slot = from;
        for (int child = 2 * slot + 1; child < size; child = 2 * slot + 1) {
            if (child + 1 < size && isBefore(keys[child + 1], places[child + 1], child)) {
                child++;
            }
            if (isBefore(key, place, child)) {
                break;
            }
            set(slot, keys[child], places[child]);
            slot = child;
        }
        set(slot, key, place);
        return slot;
    }

    private boolean isBefore(long key, int place, int slot) {
        return key > keys[slot] || key == keys[slot] && place < places[slot];
    }

    private void set(int slot, long key, int place) {
        keys[slot] = key;
        places[slot] = place;
        slots[place] = slot;
    }

    /** Takes all keys anew, after the count of rounds has begun anew; all have changed alike. */
    void rekey(Peer[] peers) {
        for (int i = 0; i < size; i++) {
            keys[i] = peers[places[i]].weightApartFromRounds();
        }
    }

    /** Calls for each of its places. */
    void forEach(IntConsumer action) {
        for (int i = 0; i < size; i++) {
            action.accept(places[i]);
        }
    }
}

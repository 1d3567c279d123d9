package io.weir.control.change;

import io.weir.config.InvalidConfigException;
import io.weir.control.state.ConfigState;
import io.weir.control.state.Draft;

/**
 * One write: makes what is wanted out of what is. Called with no other write in progress, so what it sees is what it
 * changes; it checks the version that the client expects. It has no effects of its own.
 */
@FunctionalInterface
public interface Edit {

    /**
     * Makes the draft.
     *
     * @throws InvalidConfigException if the request asks for something impossible, with paths of the request
     * @throws Refusal if it cannot be done as things are
     */
    Draft apply(ConfigState state);
}

package io.weir.control.web;

/** The control plane would be open to the network. */
final class OpenControlPlaneException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    OpenControlPlaneException(String address) {
        super("The control plane is bound to " + (address.isEmpty() ? "all addresses" : address)
                + ", which others can reach, and asks for no token.");
    }
}

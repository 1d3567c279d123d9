package io.weir.control.store;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;

interface ListenerRows extends JpaRepository<ListenerRow, String> {

    List<ListenerRow> findAllByOrderByName();
}

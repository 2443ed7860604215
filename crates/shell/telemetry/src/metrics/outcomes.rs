//! The closed lists behind the `reason` label.

/// A list whose members have short stable labels.
macro_rules! outcomes {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident => $label:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            #[must_use]
            pub fn label(self) -> &'static str {
                match self {
                    $(Self::$variant => $label,)+
                }
            }
        }
    };
}

outcomes! {
    /// How an attempt to take a seat or to connect with a ticket ended.
    JoinOutcome {
        /// A ticket was handed out.
        Seated => "seated",
        /// A session was let into its room.
        Joined => "joined",
        /// A held seat was taken again after a lost connection.
        Rejoined => "rejoined",
        Full => "full",
        NoMode => "no_mode",
        NoRoom => "no_room",
        NoCapacity => "no_capacity",
        Banned => "banned",
        /// No bearer token, or one that does not verify.
        Unauthenticated => "unauthenticated",
        RateLimited => "rate_limited",
        TicketForged => "ticket_forged",
        TicketExpired => "ticket_expired",
        TicketUsed => "ticket_used",
        /// The hello is not one, or of another protocol.
        BadHello => "bad_hello",
        /// No hello came in time.
        Timeout => "timeout",
        Draining => "draining",
    }
}

outcomes! {
    /// Why a player's session ended.
    SessionEnd {
        /// She said goodbye.
        Left => "left",
        Kicked => "kicked",
        Banned => "banned",
        /// She read too slowly: her next batch of events would have passed the bound.
        Slow => "slow",
        Idle => "idle",
        /// Too many datagrams or messages that are none.
        Malformed => "malformed",
        /// Her inventory and the server's came apart.
        Diverged => "diverged",
        RoomClosed => "room_closed",
        /// The connection broke or timed out.
        Lost => "lost",
        /// She connected again: the older session gives way.
        Replaced => "replaced",
        Shutdown => "shutdown",
    }
}

outcomes! {
    /// Why a room ended.
    RoomEnd {
        /// Nobody was left in it.
        Empty => "empty",
        /// Its game ended.
        Finished => "finished",
        /// An operator closed it.
        Closed => "closed",
        Drained => "drained",
        /// Its tick panicked; the room was retired alone.
        Panicked => "panicked",
        Shutdown => "shutdown",
    }
}

outcomes! {
    /// What became of a weapon command.
    CommandOutcome {
        Committed => "committed",
        /// The player's command queue is full; nothing moved.
        QueueFull => "queue_full",
        /// 1,024 revisions are retained; nothing moved.
        RevisionsFull => "revisions_full",
        /// It cannot apply to the inventory as it is.
        NotApplicable => "not_applicable",
    }
}

outcomes! {
    /// How an admin call ended: the gRPC code.
    AdminOutcome {
        Ok => "ok",
        InvalidArgument => "invalid_argument",
        NotFound => "not_found",
        AlreadyExists => "already_exists",
        PermissionDenied => "permission_denied",
        ResourceExhausted => "resource_exhausted",
        FailedPrecondition => "failed_precondition",
        Aborted => "aborted",
        DeadlineExceeded => "deadline_exceeded",
        Unavailable => "unavailable",
        Unimplemented => "unimplemented",
        Unauthenticated => "unauthenticated",
        /// Any other code.
        Internal => "internal",
    }
}

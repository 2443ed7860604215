//! Every call that changes something, asked with `dry_run`: checked whole, written down, and nothing moves.
//!
//! The calls are found in the service's own description: a new one fails here until its row is added.

use fairshot_client::{Matchmaker, Seat, Wish};
use fairshot_client_core::PlayerClient;
use fairshot_e2e::{Cluster, House, Players};
use fairshot_proto::v1::{self, admin_client::AdminClient};
use fairshot_units::Input;
use prost::Message;
use ring::digest::{SHA256, digest};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::{Duration, Instant};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};

const SOON: Duration = Duration::from_secs(10);
/// Long enough for what a call set off to show.
const A_WHILE: Duration = Duration::from_millis(300);

const VIEWER: &str = "token-of-the-viewer";
const ADMIN: &str = "token-of-the-admin";

/// What calls name. Each call takes what it knows.
#[derive(Clone)]
struct Words {
    token: &'static str,
    dry_run: bool,
    player: String,
    weapon: String,
    rounds: u32,
    subject: String,
    mode: String,
    room: String,
    node: String,
    deadline_s: u64,
    key: String,
    value: f32,
}

impl Words {
    fn of(player: &str, node: &str) -> Self {
        Self {
            token: ADMIN,
            dry_run: false,
            player: player.into(),
            weapon: "rail".into(),
            rounds: 7,
            subject: "address/10.9.8.0/24".into(),
            mode: "arena".into(),
            room: "made-by-hand".into(),
            node: node.into(),
            deadline_s: 600,
            key: "rate.stall_s".into(),
            value: 2.0,
        }
    }

    fn with(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut words = self.clone();
        change(&mut words);
        words
    }
}

/// In an order in which each can be done after those before it.
const ROWS: [&str; 12] = [
    "GiveWeapon",
    "SetAmmo",
    "SetArmed",
    "TakeWeapon",
    "ClearWeapons",
    "SetRule",
    "CreateRoom",
    "CloseRoom",
    "Ban",
    "Unban",
    "DrainNode",
    // Last: her room ends with her.
    "Kick",
];

/// Makes the call; answers whether it said to be a dry run, and its place in the audit log.
async fn call(
    operator: &mut AdminClient<Channel>,
    method: &str,
    words: &Words,
) -> Result<(bool, u64), Status> {
    macro_rules! ask {
        ($call:ident, $request:ident { $($field:ident: $value:expr),+ $(,)? }) => {{
            let message = v1::$request {
                $($field: $value,)+
                dry_run: words.dry_run,
                ..Default::default()
            };
            let mut request = Request::new(message);
            let bearer = format!("Bearer {}", words.token).parse().expect("a header");
            request.metadata_mut().insert("authorization", bearer);
            let answer = operator.$call(request).await?.into_inner();
            Ok((answer.dry_run, answer.audit_sequence))
        }};
    }
    let player = words.player.clone();
    let weapon =
        Some(v1::WeaponRef { weapon: Some(v1::weapon_ref::Weapon::Name(words.weapon.clone())) });
    let value = Some(v1::RuleValue { value: Some(v1::rule_value::Value::Number(words.value)) });
    match method {
        "GiveWeapon" => {
            ask!(
                give_weapon,
                GiveWeaponRequest { player: player, weapon: weapon, rounds: words.rounds }
            )
        }
        "SetAmmo" => {
            let total = words.rounds + 1;
            ask!(set_ammo, SetAmmoRequest { player: player, weapon: weapon, total: total })
        }
        "SetArmed" => ask!(set_armed, SetArmedRequest { player: player, weapon: weapon }),
        "TakeWeapon" => ask!(take_weapon, TakeWeaponRequest { player: player, weapon: weapon }),
        "ClearWeapons" => ask!(clear_weapons, ClearWeaponsRequest { player: player }),
        "SetRule" => ask!(
            set_rule,
            SetRuleRequest { mode: words.mode.clone(), key: words.key.clone(), value: value }
        ),
        "CreateRoom" => ask!(
            create_room,
            CreateRoomRequest {
                mode: words.mode.clone(),
                room: words.room.clone(),
                node: words.node.clone(),
            }
        ),
        "CloseRoom" => ask!(close_room, CloseRoomRequest { room: words.room.clone() }),
        "Ban" => ask!(ban, BanRequest { subject: words.subject.clone() }),
        "Unban" => ask!(unban, UnbanRequest { subject: words.subject.clone() }),
        "Kick" => ask!(kick, KickRequest { player: player }),
        "DrainNode" => ask!(
            drain_node,
            DrainNodeRequest { node: words.node.clone(), deadline_s: words.deadline_s }
        ),
        other => panic!("{other} changes something and has no row here"),
    }
}

/// Calls that are wrong in one word, and how each is refused.
fn wrong(method: &str, right: &Words) -> Vec<(Words, Code)> {
    let nobody = (right.with(|words| words.player = "nobody".into()), Code::NotFound);
    let no_weapon = (right.with(|words| words.weapon = "slingshot".into()), Code::InvalidArgument);
    let too_many = (right.with(|words| words.rounds = 70_000), Code::InvalidArgument);
    let not_hers = (right.with(|words| words.weapon = "rail".into()), Code::FailedPrecondition);
    let no_mode = (right.with(|words| words.mode = "chess".into()), Code::NotFound);
    let no_room = (right.with(|words| words.room = "nowhere".into()), Code::NotFound);
    let no_node = (right.with(|words| words.node = "nowhere".into()), Code::NotFound);
    let unknown =
        (right.with(|words| words.subject = "player/never-banned".into()), Code::NotFound);
    let everybody =
        (right.with(|words| words.subject = "address/0.0.0.0/0".into()), Code::InvalidArgument);
    match method {
        "GiveWeapon" => vec![nobody, no_weapon, too_many],
        "SetAmmo" => vec![nobody, no_weapon, too_many, not_hers],
        "SetArmed" => vec![nobody, no_weapon, not_hers],
        "TakeWeapon" => vec![nobody, no_weapon, not_hers],
        "ClearWeapons" => vec![nobody],
        "Kick" => vec![nobody],
        "SetRule" => vec![
            no_mode,
            (right.with(|words| words.key = "rate.colour".into()), Code::InvalidArgument),
            (right.with(|words| words.value = -5.0), Code::InvalidArgument),
        ],
        "CreateRoom" => vec![
            no_mode,
            no_node,
            (right.with(|words| words.room = "taken".into()), Code::AlreadyExists),
            (right.with(|words| words.room = "no/name".into()), Code::InvalidArgument),
        ],
        "CloseRoom" => vec![no_room],
        "Ban" => vec![everybody],
        "Unban" => vec![unknown],
        "DrainNode" => {
            vec![no_node, (right.with(|words| words.deadline_s = 100_000), Code::InvalidArgument)]
        }
        other => panic!("{other} changes something and has no row here"),
    }
}

/// The calls that change something, as the service describes itself.
fn changes() -> BTreeSet<String> {
    let files =
        prost_types::FileDescriptorSet::decode(fairshot_proto::DESCRIPTORS).expect("decodes").file;
    let admin = files.iter().flat_map(|file| &file.service).find(|s| s.name() == "Admin");
    let message = |name: &str| {
        let name = name.rsplit('.').next().expect("a name");
        let all = files.iter().flat_map(|file| &file.message_type);
        all.into_iter().find(|message| message.name() == name).expect("a message")
    };
    let reads = ["List", "Get", "Stream", "Explain"];
    let methods = admin.expect("the service").method.iter();
    let changes = methods.filter(|method| !reads.iter().any(|r| method.name().starts_with(r)));
    changes
        .map(|method| {
            for (side, fields) in [
                (method.input_type(), ["dry_run", "request_id"]),
                (method.output_type(), ["dry_run", "audit_sequence"]),
            ] {
                for field in fields {
                    let known = message(side).field.iter().any(|known| known.name() == field);
                    assert!(known, "{side} has no {field}");
                }
            }
            method.name().to_owned()
        })
        .collect()
}

fn request<T>(message: T) -> Request<T> {
    let mut request = Request::new(message);
    let bearer = format!("Bearer {ADMIN}").parse().expect("a header");
    request.metadata_mut().insert("authorization", bearer);
    request
}

/// All that a change could move, as operators read it.
async fn seen(operator: &mut AdminClient<Channel>, player: &str) -> String {
    let mut seen = String::new();
    let nodes = operator.list_nodes(request(v1::ListNodesRequest {})).await.expect("nodes");
    for node in nodes.into_inner().nodes {
        writeln!(seen, "{} drains: {}", node.node, node.draining).expect("writes");
    }
    let rooms = operator.list_rooms(request(v1::ListRoomsRequest::default())).await.expect("rooms");
    for room in rooms.into_inner().rooms {
        writeln!(seen, "{} {} {}", room.room, room.mode, room.state).expect("writes");
    }
    let all = v1::ListPlayersRequest::default();
    for player in operator.list_players(request(all)).await.expect("players").into_inner().players {
        writeln!(seen, "{} in {}, life {}", player.player, player.room, player.life)
            .expect("writes");
    }
    let asked = request(v1::GetInventoryRequest { player: player.into() });
    match operator.get_inventory(asked).await {
        Err(status) => writeln!(seen, "no inventory: {}", status.message()),
        Ok(answer) => {
            let held = answer.into_inner().inventory.expect("an inventory");
            let slots: Vec<_> = held.slots.iter().map(|slot| (slot.weapon, slot.total)).collect();
            writeln!(seen, "revision {} holds {} of {slots:?}", held.revision, held.held)
        }
    }
    .expect("writes");
    let bans = operator.list_bans(request(v1::ListBansRequest::default())).await.expect("bans");
    let rules = operator.list_rules(request(v1::ListRulesRequest::default())).await.expect("rules");
    writeln!(seen, "bans: {:?}", bans.into_inner().bans).expect("writes");
    for mode in rules.into_inner().modes {
        for setting in mode.settings.iter().filter(|setting| setting.live) {
            writeln!(seen, "{} {}: {:?}", mode.mode, setting.key, setting.value).expect("writes");
        }
    }
    seen
}

async fn wait(players: &mut Players) {
    let until = Instant::now() + A_WHILE;
    players.play("a while", SOON, still, |_| Instant::now() >= until).await;
}

/// Asks each change with `dry_run`, sees that nothing moved, then makes it and sees that something did.
async fn nothing_moves_until_it_is_meant(
    operator: &mut AdminClient<Channel>,
    players: &mut Players,
    words: &Words,
) {
    for method in ROWS {
        let before = seen(operator, &words.player).await;
        let dry = words.with(|words| words.dry_run = true);
        let answer = call(operator, method, &dry).await;
        let (said_dry, _) = answer.unwrap_or_else(|status| panic!("{method}: {status}"));
        assert!(said_dry, "{method} does not say that it was a dry run");
        wait(players).await;
        assert_eq!(seen(operator, &words.player).await, before, "a dry run of {method}");

        let answer = call(operator, method, words).await;
        let (said_dry, _) = answer.unwrap_or_else(|status| panic!("{method}: {status}"));
        assert!(!said_dry, "{method}");
        let until = Instant::now() + SOON;
        while seen(operator, &words.player).await == before {
            assert!(Instant::now() < until, "{method} changed nothing that this test sees");
            wait(players).await;
        }
    }
}

#[test]
fn every_call_that_changes_something_has_a_row() {
    assert_eq!(changes(), ROWS.iter().map(|row| (*row).to_owned()).collect());
}

#[actix_rt::test]
async fn a_dry_run_moves_nothing_and_is_written_down_as_one() {
    let (house, _files) = guarded().await;
    let mut operator = operator(&house).await;
    let seats = house.seats("arena", 1, 0).await;
    let mut players = Players::plain();
    let words = Words::of(&seats[0].player_id, "local");
    players.sit(seats);
    players.play("she is in", SOON, still, Players::all_in).await;
    nothing_moves_until_it_is_meant(&mut operator, &mut players, &words).await;

    let all = v1::ListAuditRequest { page_size: 1_000, ..Default::default() };
    let entries = operator.list_audit(request(all)).await.expect("entries").into_inner().entries;
    let written: Vec<_> =
        entries.iter().map(|e| (e.method.as_str(), e.dry_run, e.outcome.as_str())).collect();
    for method in ROWS {
        for dry_run in [true, false] {
            for outcome in ["begun", "ok"] {
                let times = written.iter().filter(|w| **w == (method, dry_run, outcome)).count();
                assert_eq!(times, 1, "{method}, dry run {dry_run}, {outcome}: {written:?}");
            }
        }
    }
    house.close().await;
}

#[actix_rt::test]
async fn a_dry_run_through_a_matchmaker_moves_nothing_on_the_node() {
    let cluster = Cluster::open(&["a"]).await;
    let mut operator = cluster.operator().await;
    let uri = format!("http://{}", cluster.join);
    let mut matchmaker = Matchmaker::connect(&uri, None).await.expect("a matchmaker");
    let wish = v1::CreateRequest {
        mode: "arena".into(),
        party_size: 1,
        monsters: Some(0),
        ..Default::default()
    };
    let seats: Vec<Seat> = matchmaker.ask(Wish::Create(wish)).await.expect("a seat");
    let words = Words::of(&seats[0].player_id, "a");
    let mut players = Players::plain();
    players.sit(seats);
    players.play("she is in", SOON, still, Players::all_in).await;
    nothing_moves_until_it_is_meant(&mut operator, &mut players, &words).await;
    cluster.close().await;
}

#[actix_rt::test]
async fn what_a_change_is_refused_for_its_dry_run_is_refused_for_too() {
    let (house, _files) = guarded().await;
    let mut operator = operator(&house).await;
    let seats = house.seats("arena", 1, 0).await;
    let mut players = Players::plain();
    let right = Words::of(&seats[0].player_id, "local");
    players.sit(seats);
    players.play("she is in", SOON, still, Players::all_in).await;
    let taken = right.with(|words| words.room = "taken".into());
    call(&mut operator, "CreateRoom", &taken).await.expect("a room");
    call(&mut operator, "ClearWeapons", &right).await.expect("she holds nothing");
    let before = seen(&mut operator, &right.player).await;
    for method in ROWS {
        let mut wrong = wrong(method, &right);
        wrong.push((right.with(|words| words.token = VIEWER), Code::PermissionDenied));
        wrong.push((right.with(|words| words.token = "guessed"), Code::Unauthenticated));
        for (words, code) in wrong {
            for dry_run in [true, false] {
                let words = words.with(|words| words.dry_run = dry_run);
                let refused = call(&mut operator, method, &words).await;
                let refused = refused.expect_err("is wrong");
                assert_eq!(refused.code(), code, "{method}, dry run {dry_run}: {refused}");
            }
        }
    }
    wait(&mut players).await;
    assert_eq!(seen(&mut operator, &right.player).await, before);
    house.close().await;
}

#[actix_rt::test]
async fn a_node_without_room_says_so_in_a_dry_run_too() {
    let house = House::open_with(&[], &["--node-rooms-per-shard-max=1"]).await;
    let mut operator = operator(&house).await;
    let full = |refused: &Status| {
        refused.code() == Code::ResourceExhausted && refused.message().contains("all the rooms")
    };
    let mut words = Words::of("nobody", "local");
    let until = Instant::now() + SOON;
    // A shard says four times a second how many rooms it has: until then the other seems roomier.
    for room in ["one", "two"] {
        words.room = room.into();
        while let Err(refused) = call(&mut operator, "CreateRoom", &words).await {
            assert!(full(&refused) && Instant::now() < until, "{refused}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    words.room = "three".into();
    words.dry_run = true;
    while call(&mut operator, "CreateRoom", &words).await.is_ok() {
        assert!(Instant::now() < until, "there is room");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for dry_run in [true, false] {
        words.dry_run = dry_run;
        let refused = call(&mut operator, "CreateRoom", &words).await.expect_err("no room");
        assert!(full(&refused), "{refused}");
    }
    house.close().await;
}

/// A house whose operators show tokens and whose changes are written down.
async fn guarded() -> (House, tempfile::TempDir) {
    let files = tempfile::tempdir().expect("a folder");
    let mut tokens = String::new();
    for (name, token) in [("viewer", VIEWER), ("admin", ADMIN)] {
        let hash: String = digest(&SHA256, token.as_bytes())
            .as_ref()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        writeln!(tokens, "[[tokens]]\nname = \"{name}\"\nrole = \"{name}\"\nsha256 = \"{hash}\"")
            .expect("writes");
    }
    let path = files.path().join("tokens.toml");
    std::fs::write(&path, tokens).expect("a file");
    let folder = files.path().display();
    let flags = [format!("--admin-tokens-file={}", path.display()), format!("--data-dir={folder}")];
    let house = House::open_with(&[], &flags.each_ref().map(String::as_str)).await;
    (house, files)
}

async fn operator(house: &House) -> AdminClient<Channel> {
    let uri = format!("http://{}", house.server.admin_address());
    let endpoint = Endpoint::from_shared(uri).expect("an address");
    AdminClient::new(endpoint.connect().await.expect("the admin API"))
}

fn still(_: usize, session: &mut PlayerClient, now_us: u64) {
    session.frame(Input::default(), false, now_us);
}

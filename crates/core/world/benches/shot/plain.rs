//! The baseline: how one writes it first. A row is a vector of structs of doubles, and a shot looks at
//! every box and every target. It allocates nothing while it judges.

use fairshot_mode::{Mode, ZoneShape};
use fairshot_units::{EntityId, EntityKind, EntityState, Tick, ViewStep};
use glam::Vec3;

/// A shot as the baseline wants it.
#[derive(Clone, Copy)]
pub struct Pull {
    pub shooter: EntityId,
    pub view: ViewStep,
    pub body_middle_m: Vec3,
    pub origin_m: Vec3,
    pub direction: Vec3,
    pub range_m: f32,
    pub spread_rad: f32,
}

#[derive(Clone, Copy)]
struct Point {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Clone, Copy)]
struct Target {
    id: u16,
    life: u16,
    alive: bool,
    monster: bool,
    feet: Point,
    yaw: f64,
    /// What else a room sends of it.
    _rest: [f64; 3],
}

struct Row {
    tick: u32,
    targets: Vec<Target>,
}

struct Cuboid {
    centre: Point,
    half: Point,
    yaw: f64,
}

struct Body {
    radius: f64,
    height: f64,
    head: Point,
    head_radius: f64,
}

/// Rows kept: the snapshots of a second, and what lies across its end.
const ROWS_MAX: usize = 34;

pub struct Room {
    rows: Vec<Row>,
    boxes: Vec<Cuboid>,
    bodies: [Body; 2],
}

#[derive(Clone, Copy)]
struct Found {
    id: u16,
    distance: f64,
    zone: bool,
}

impl Room {
    pub fn new(mode: &Mode) -> Self {
        let boxes = mode.arena.blocks.iter().map(|block| Cuboid {
            centre: point(block.centre_m),
            half: point(block.half_m),
            yaw: block.yaw_rad.into(),
        });
        let body = |radius: f32, height: f32, zones: &[fairshot_mode::HitZone]| {
            let (head, head_radius) = match zones[0].shape {
                ZoneShape::Sphere { at_m, radius_m } => (at_m, radius_m),
                ZoneShape::Capsule { from_m, radius_m, .. } => (from_m, radius_m),
            };
            Body {
                radius: radius.into(),
                height: height.into(),
                head: point(head),
                head_radius: head_radius.into(),
            }
        };
        let player = &mode.body;
        let monster = &mode.monsters[0];
        Self {
            rows: Vec::new(),
            boxes: boxes.collect(),
            bodies: [
                body(player.radius_m, player.height_m, &player.zones),
                body(monster.radius_m, monster.height_m, &monster.zones),
            ],
        }
    }

    /// Keeps a tick that was sent; a second of them. The oldest row is written over.
    pub fn record(&mut self, tick: Tick, states: impl Iterator<Item = EntityState>) {
        let mut targets =
            if self.rows.len() < ROWS_MAX { Vec::new() } else { self.rows.remove(0).targets };
        targets.clear();
        targets.extend(states.map(|state| Target::new(&state)));
        self.rows.push(Row { tick: tick.0, targets });
    }

    pub fn judge(&self, shot: &Pull) -> f64 {
        let step = f64::from(shot.view.tick.0) + f64::from(shot.view.fraction) / 65536.0;
        let newer = self.rows.iter().position(|row| f64::from(row.tick) >= step);
        let Some(newer) = newer.filter(|newer| *newer > 0) else { return -1.0 };
        let (older, newer) = (&self.rows[newer - 1], &self.rows[newer]);
        let fraction =
            (step - f64::from(older.tick)) / (f64::from(newer.tick) - f64::from(older.tick));
        let middle = point(shot.body_middle_m);
        let origin = point(shot.origin_m);
        let way = sub(origin, middle);
        let length = dot(way, way).sqrt();
        if self.wall(middle, scale(way, 1.0 / length), length) < length {
            return 0.0;
        }
        let aim = point(shot.direction);
        let mut sum = 0.0;
        for pellet in [-1.0, 0.0, 1.0] {
            let (sin, cos) = (pellet * f64::from(shot.spread_rad)).sin_cos();
            let direction =
                Point { x: aim.x * cos + aim.z * sin, y: aim.y, z: aim.z * cos - aim.x * sin };
            let range = self.wall(origin, direction, f64::from(shot.range_m));
            sum += range;
            let mut found = [Found { id: 0, distance: f64::INFINITY, zone: false }; 2];
            for (from, to) in older.targets.iter().zip(&newer.targets) {
                if from.id == shot.shooter.0 || from.life != to.life || !to.alive {
                    continue;
                }
                let feet = Point {
                    x: from.feet.x + (to.feet.x - from.feet.x) * fraction,
                    y: from.feet.y + (to.feet.y - from.feet.y) * fraction,
                    z: from.feet.z + (to.feet.z - from.feet.z) * fraction,
                };
                let turn = (to.yaw - from.yaw + std::f64::consts::PI)
                    .rem_euclid(std::f64::consts::TAU)
                    - std::f64::consts::PI;
                let yaw = from.yaw + turn * fraction;
                let body = &self.bodies[usize::from(to.monster)];
                if let Some((distance, zone)) = body.meet(feet, yaw, origin, direction)
                    && distance <= range
                    && distance < found[1].distance
                {
                    found[1] = Found { id: from.id, distance, zone };
                    if found[1].distance < found[0].distance {
                        found.swap(0, 1);
                    }
                }
            }
            for found in found.iter().filter(|found| found.distance.is_finite()) {
                sum += found.distance + f64::from(u8::from(found.zone));
                std::hint::black_box(found.id);
            }
        }
        sum
    }

    fn wall(&self, origin: Point, direction: Point, range: f64) -> f64 {
        let mut nearest = range;
        if direction.y < 0.0 {
            nearest = nearest.min(-origin.y / direction.y);
        }
        for cuboid in &self.boxes {
            let (sin, cos) = cuboid.yaw.sin_cos();
            let off = sub(origin, cuboid.centre);
            let turn =
                |v: Point| Point { x: v.x * cos - v.z * sin, y: v.y, z: v.x * sin + v.z * cos };
            let (off, direction) = (turn(off), turn(direction));
            let (mut enter, mut leave) = (0.0f64, nearest);
            for (off, direction, half) in [
                (off.x, direction.x, cuboid.half.x),
                (off.y, direction.y, cuboid.half.y),
                (off.z, direction.z, cuboid.half.z),
            ] {
                let a = (-half - off) / direction;
                let b = (half - off) / direction;
                enter = enter.max(a.min(b));
                leave = leave.min(a.max(b));
            }
            if enter <= leave {
                nearest = nearest.min(enter);
            }
        }
        nearest
    }
}

impl Target {
    fn new(state: &EntityState) -> Self {
        Self {
            id: state.id.0,
            life: state.life.0,
            alive: state.alive,
            monster: matches!(state.kind, EntityKind::Monster(_)),
            feet: point(state.pose.position_m()),
            yaw: state.pose.yaw_rad().into(),
            _rest: [state.pose.pitch_rad().into(), f64::from(state.health_eighths), 0.0],
        }
    }
}

impl Body {
    fn meet(&self, feet: Point, yaw: f64, origin: Point, direction: Point) -> Option<(f64, bool)> {
        let low = Point { y: feet.y + self.radius, ..feet };
        let high = Point { y: feet.y + self.height - self.radius, ..feet };
        let body = capsule(origin, direction, low, high, self.radius);
        let (sin, cos) = yaw.sin_cos();
        let head = Point {
            x: feet.x + self.head.x * cos + self.head.z * sin,
            y: feet.y + self.head.y,
            z: feet.z + self.head.z * cos - self.head.x * sin,
        };
        let zone = sphere(origin, direction, head, self.head_radius);
        match (body, zone) {
            (Some(body), Some(zone)) => Some((body.min(zone), true)),
            (None, Some(zone)) => Some((zone, true)),
            (Some(body), None) => Some((body, false)),
            (None, None) => None,
        }
    }
}

fn capsule(o: Point, d: Point, a: Point, b: Point, radius: f64) -> Option<f64> {
    let (ba, oa) = (sub(b, a), sub(o, a));
    let (baba, bard, baoa) = (dot(ba, ba), dot(ba, d), dot(ba, oa));
    let (rdoa, oaoa) = (dot(d, oa), dot(oa, oa));
    let square = baba - bard * bard;
    let linear = baba * rdoa - baoa * bard;
    let constant = baba * oaoa - baoa * baoa - radius * radius * baba;
    let root = linear * linear - square * constant;
    if root < 0.0 {
        return None;
    }
    let t = (-linear - root.sqrt()) / square;
    let y = baoa + t * bard;
    if y > 0.0 && y < baba {
        return (t >= 0.0).then_some(t);
    }
    sphere(o, d, if y <= 0.0 { a } else { b }, radius)
}

fn sphere(o: Point, d: Point, centre: Point, radius: f64) -> Option<f64> {
    let off = sub(o, centre);
    let along = dot(off, d);
    let root = along * along - (dot(off, off) - radius * radius);
    if root < 0.0 {
        return None;
    }
    let t = -along - root.sqrt();
    (t >= 0.0).then_some(t)
}

fn point(v: Vec3) -> Point {
    Point { x: v.x.into(), y: v.y.into(), z: v.z.into() }
}

fn sub(a: Point, b: Point) -> Point {
    Point { x: a.x - b.x, y: a.y - b.y, z: a.z - b.z }
}

fn scale(a: Point, by: f64) -> Point {
    Point { x: a.x * by, y: a.y * by, z: a.z * by }
}

fn dot(a: Point, b: Point) -> f64 {
    a.x * b.x + a.y * b.y + a.z * b.z
}

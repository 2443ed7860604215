//! Compiles every .proto file beside this crate in Rust alone: no protoc has to be installed.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sources = Path::new("fairshot/v1");
    println!("cargo:rerun-if-changed={}", sources.display());
    let mut files = fs::read_dir(sources)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<PathBuf>, io::Error>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "proto"));
    // Directory order differs from machine to machine; what is generated must not.
    files.sort();
    for file in &files {
        println!("cargo:rerun-if-changed={}", file.display());
    }
    let descriptors = protox::compile(&files, ["."])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("fairshot_descriptors.bin"), prost_encode(&descriptors))?;
    tonic_prost_build::configure()
        .btree_map(".")
        // The command line prints messages as JSON under the names that protobuf's own JSON has.
        .type_attribute(".", "#[derive(serde::Serialize)] #[serde(rename_all = \"camelCase\")]")
        .field_attribute(
            "RoomInfo.state",
            "#[serde(serialize_with = \"crate::names::room_state\")]",
        )
        .field_attribute(
            "RuleMeasure.outcome",
            "#[serde(serialize_with = \"crate::names::rule_outcome\")]",
        )
        .compile_fds(descriptors)?;
    Ok(())
}

/// The descriptor set as gRPC reflection serves it.
fn prost_encode(descriptors: &prost_types::FileDescriptorSet) -> Vec<u8> {
    prost::Message::encode_to_vec(descriptors)
}

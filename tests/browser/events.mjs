// Scalars of event files, read without TensorFlow and TensorBoard: what their answers are compared with.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

// The fields of a protocol buffer: numbers with their values, of which bytes are Buffers.
function* fields(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const [field, kind] = [key >> 3, key & 7];
    if (kind === 0) yield [field, varint()];
    else if (kind === 1) yield [field, bytes.subarray(at, (at += 8))];
    else if (kind === 5) yield [field, bytes.subarray(at, (at += 4))];
    else {
      const length = Number(varint());
      yield [field, bytes.subarray(at, (at += length))];
    }
  }
}

const first = (bytes, wanted) => [...fields(bytes)].find(([field]) => field === wanted)?.[1];

// All scalars of a folder's event files by tag: pairs of step and value.
export function scalars(folder) {
  const all = {};
  for (const name of readdirSync(folder).filter((name) => name.includes("tfevents")).sort()) {
    const file = readFileSync(join(folder, name));
    for (let at = 0; at < file.length; ) {
      const length = Number(file.readBigUInt64LE(at));
      const event = file.subarray(at + 12, at + 12 + length);
      at += 16 + length;
      const step = Number(first(event, 2) ?? 0n);
      const summary = first(event, 5);
      for (const [, value] of summary ? fields(summary) : []) {
        const tensor = first(value, 8);
        const plugin = first(first(first(value, 9), 1), 1).toString();
        if (plugin !== "scalars") continue;
        (all[first(value, 1).toString()] ??= []).push([step, first(tensor, 4).readFloatLE(0)]);
      }
    }
  }
  return all;
}

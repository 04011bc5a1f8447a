import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const DEFLATED = 8;
/** The first of January 1980, so that equal folders make equal archives. */
const DATE = 0x21;

/** What both headers of an entry have in common, from the version that is needed to the lengths of name and extra field. */
function common(name: Buffer, raw: Buffer, packed: Buffer): Buffer {
  const header = Buffer.alloc(26);
  header.writeUInt16LE(20, 0);
  header.writeUInt16LE(DEFLATED, 4);
  header.writeUInt16LE(DATE, 8);
  header.writeUInt32LE(crc32(raw), 10);
  header.writeUInt32LE(packed.length, 14);
  header.writeUInt32LE(raw.length, 18);
  header.writeUInt16LE(name.length, 22);
  return header;
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/** A folder as Lambda takes it: a deflated ZIP archive of its files. */
export function zipFolder(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const path of files.map((entry) => join(entry.parentPath, entry.name)).sort()) {
    const name = Buffer.from(relative(folder, path));
    const raw = readFileSync(path);
    const packed = deflateRawSync(raw);
    const shared = common(name, raw, packed);
    const entry = Buffer.concat([uint32(LOCAL), shared, name, packed]);
    const version = Buffer.from([20, 0]);
    central.push(uint32(CENTRAL), version, shared, Buffer.alloc(10), uint32(offset), name);
    local.push(entry);
    offset += entry.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}

/** Unpacks what `zipFolder` made, as Lambda does: nothing in it can be written afterwards. */
export function unzipReadOnly(archive: Buffer, folder: string): void {
  const end = archive.lastIndexOf(uint32(END));
  let at = archive.readUInt32LE(end + 16);
  const folders = new Set([folder]);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const nameLength = archive.readUInt16LE(at + 28);
    const path = join(folder, archive.toString('utf8', at + 46, at + 46 + nameLength));
    const data = archive.readUInt32LE(at + 42) + 30 + nameLength;
    const raw = inflateRawSync(archive.subarray(data, data + archive.readUInt32LE(at + 20)));
    if (crc32(raw) !== archive.readUInt32LE(at + 16)) throw new Error(`${path} is damaged`);
    mkdirSync(dirname(path), { recursive: true });
    folders.add(dirname(path));
    writeFileSync(path, raw, { mode: 0o444 });
    at += 46 + nameLength;
  }
  for (const one of folders) chmodSync(one, 0o555);
}

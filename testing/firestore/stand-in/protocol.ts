import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { MethodDefinition } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

const require = createRequire(import.meta.url);
const library = dirname(require.resolve('@google-cloud/firestore/package.json'));
/** Google's own description of the service, as its server library ships it. */
const root = protobuf.Root.fromJSON(
  JSON.parse(readFileSync(join(library, 'build/protos/v1.json'), 'utf8')) as protobuf.INamespace,
);
const service = root.lookupService('google.firestore.v1.Firestore');

/** Decoded messages hold no default values, but all lists and maps; 64-bit integers are texts. */
const DECODED: protobuf.IConversionOptions = { longs: String, arrays: true, objects: true };

type Encode = (message: unknown) => Buffer;
type Decode = (bytes: Uint8Array) => unknown;

function encoderOf(type: protobuf.Type): Encode {
  return (message) => {
    // Bytes are sent as they are: a fault can be no message at all.
    if (Buffer.isBuffer(message)) return message;
    const bytes = type.encode(message as Record<string, unknown>).finish();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
}

function decoderOf(type: protobuf.Type): Decode {
  return (bytes) => type.toObject(type.decode(bytes), DECODED);
}

/** A method of google.firestore.v1.Firestore, as @grpc/grpc-js wants it for servers and for clients. */
export function methodOf(name: string): MethodDefinition<unknown, unknown> {
  const { requestType, responseType, requestStream, responseStream } = service.methods[name] ?? fail(name);
  const [request, response] = [
    root.lookupType(messageName(requestType)),
    root.lookupType(messageName(responseType)),
  ];
  return {
    path: `/google.firestore.v1.Firestore/${name}`,
    requestStream: requestStream ?? false,
    responseStream: responseStream ?? false,
    requestSerialize: encoderOf(request),
    requestDeserialize: decoderOf(request),
    responseSerialize: encoderOf(response),
    responseDeserialize: decoderOf(response),
  };
}

/** Encodes one message by its name in google.firestore.v1. */
export function encode(type: string, message: unknown): Buffer {
  return encoderOf(root.lookupType(messageName(type)))(message);
}

/** Decodes one message by its name in google.firestore.v1. */
export function decodeWith(type: string, bytes: Uint8Array): unknown {
  return decoderOf(root.lookupType(messageName(type)))(bytes);
}

function messageName(name: string): string {
  return name.includes('.') ? name : `google.firestore.v1.${name}`;
}

function fail(name: string): never {
  throw new Error(`google.firestore.v1.Firestore has no method ${name}`);
}

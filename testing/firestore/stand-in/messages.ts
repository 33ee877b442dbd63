/** The messages of google.firestore.v1 as the stand-in reads and writes them: those members that it knows. */

/** Unix time in microseconds: Firestore's times have no finer parts. */
export type Micros = number;

export interface Timestamp {
  readonly seconds?: number | string;
  readonly nanos?: number;
}

/** One of its members is set. 64-bit integers are decimal texts. */
export interface Value {
  readonly nullValue?: number;
  readonly booleanValue?: boolean;
  readonly integerValue?: string;
  readonly doubleValue?: number;
  readonly timestampValue?: Timestamp;
  readonly stringValue?: string;
  readonly bytesValue?: Uint8Array;
  readonly referenceValue?: string;
  readonly geoPointValue?: { readonly latitude?: number; readonly longitude?: number };
  readonly arrayValue?: { readonly values?: readonly Value[] };
  readonly mapValue?: { readonly fields?: Fields };
}

export type Fields = Readonly<Record<string, Value>>;

export interface DocumentMessage {
  readonly name: string;
  readonly fields: Fields;
  readonly createTime?: Timestamp;
  readonly updateTime?: Timestamp;
}

export interface Precondition {
  readonly exists?: boolean;
  readonly updateTime?: Timestamp;
}

export interface FieldTransform {
  readonly fieldPath: string;
  readonly setToServerValue?: number;
  readonly increment?: Value;
}

export interface Write {
  readonly update?: DocumentMessage;
  readonly delete?: string;
  readonly transform?: unknown;
  readonly updateMask?: { readonly fieldPaths: readonly string[] };
  readonly updateTransforms: readonly FieldTransform[];
  readonly currentDocument?: Precondition;
}

export interface WriteResult {
  readonly updateTime?: Timestamp;
  readonly transformResults?: readonly Value[];
}

export interface Status {
  readonly code: number;
  readonly message: string;
}

interface FieldReference {
  readonly fieldPath: string;
}

export interface Filter {
  readonly compositeFilter?: { readonly op: number; readonly filters: readonly Filter[] };
  readonly fieldFilter?: { readonly field: FieldReference; readonly op: number; readonly value: Value };
  readonly unaryFilter?: unknown;
}

export interface StructuredQuery {
  readonly select?: { readonly fields: readonly FieldReference[] };
  readonly from: readonly { readonly collectionId: string; readonly allDescendants?: boolean }[];
  readonly where?: Filter;
  readonly orderBy: readonly { readonly field: FieldReference; readonly direction?: number }[];
  readonly startAt?: unknown;
  readonly endAt?: unknown;
  readonly findNearest?: unknown;
  readonly offset?: number;
  readonly limit?: { readonly value?: number };
}

export interface ListenRequest {
  readonly database?: string;
  readonly addTarget?: AddedTarget;
  readonly removeTarget?: number;
}

export interface AddedTarget {
  readonly targetId?: number;
  readonly query?: { readonly parent: string; readonly structuredQuery: StructuredQuery };
  readonly documents?: { readonly documents: readonly string[] };
  readonly resumeToken?: Uint8Array;
  readonly readTime?: Timestamp;
  readonly once?: boolean;
}

export const TARGET_CHANGE = { NO_CHANGE: 0, ADD: 1, REMOVE: 2, CURRENT: 3, RESET: 4 } as const;

export interface TargetChange {
  /** Default: NO_CHANGE. */
  readonly targetChangeType?: (typeof TARGET_CHANGE)[keyof typeof TARGET_CHANGE];
  readonly targetIds?: readonly number[];
  readonly cause?: Status;
  readonly resumeToken?: Uint8Array;
  readonly readTime?: Timestamp;
}

/** One of its members is set. */
export interface ListenResponse {
  readonly targetChange?: TargetChange;
  readonly documentChange?: {
    readonly document: DocumentMessage;
    readonly targetIds: readonly number[];
    readonly removedTargetIds: readonly number[];
  };
  readonly documentDelete?: {
    readonly document: string;
    readonly removedTargetIds: readonly number[];
    readonly readTime: Timestamp;
  };
  readonly documentRemove?: {
    readonly document: string;
    readonly removedTargetIds: readonly number[];
    readonly readTime: Timestamp;
  };
  readonly filter?: { readonly targetId: number; readonly count: number };
}

export function timestampOf(micros: Micros): Timestamp {
  const seconds = Math.floor(micros / 1e6);
  return { seconds, nanos: (micros - seconds * 1e6) * 1_000 };
}

export function microsOf({ seconds = 0, nanos = 0 }: Timestamp): Micros {
  return Number(seconds) * 1e6 + Math.floor(nanos / 1_000);
}

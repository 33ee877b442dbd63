import { status } from '@grpc/grpc-js';

/** How a request, a stream or a target has ended. */
export interface GrpcStatus {
  readonly code: number;
  readonly message: string;
}

/** The status codes by their names in gRPC. */
export const GRPC_CODE: Readonly<Record<keyof typeof status, number>> = status;

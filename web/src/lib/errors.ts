export interface Failing {
  code: string;
  status: number;
  message?: string;
  requestId?: string;
  retryAfter?: number;
  details?: { field: string; problem: string }[];
}

/** What went wrong: `code` is for the page to choose its words by, the rest is for the person to quote. */
export class ApiError extends Error implements Failing {
  readonly code: string;
  readonly status: number;
  readonly requestId: string;
  readonly retryAfter: number;
  readonly details: { field: string; problem: string }[];

  constructor(failing: Failing) {
    super(failing.message ?? '');
    this.name = 'ApiError';
    this.code = failing.code;
    this.status = failing.status;
    this.requestId = failing.requestId ?? '';
    this.retryAfter = failing.retryAfter ?? 0;
    this.details = failing.details ?? [];
  }
}

export function failureOf(response: Response, body: unknown): ApiError {
  const error = (body as { error?: Partial<Failing> } | undefined)?.error;
  return new ApiError({
    code: error?.code ?? 'unexpected_answer',
    status: response.status,
    message: error?.message,
    details: error?.details,
    requestId: response.headers.get('X-Request-Id') ?? '',
    retryAfter: retryAfterOf(response.headers.get('Retry-After'), Date.now()),
  });
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError({ code: 'unexpected', status: 0, message: String(error) });
}

/** Both forms of the header, in seconds; 0 when it says nothing. */
export function retryAfterOf(header: string | null, now: number): number {
  if (!header) return 0;
  if (/^\d+$/.test(header)) return Number(header);
  const left = Math.ceil((Date.parse(header) - now) / 1000);
  return left > 0 ? left : 0;
}

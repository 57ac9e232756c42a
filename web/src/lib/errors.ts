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
    retryAfter: Number.parseInt(response.headers.get('Retry-After') ?? '', 10) || 0,
  });
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError({ code: 'unexpected', status: 0, message: String(error) });
}

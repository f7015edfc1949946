import { atOnce, bucket, perSecond } from '../sandbox/rates';
import { perMinute, refilledEachMinute, untilNextMinute, type Load } from './rate-limited';

/** A rate-limited service, and the share of its limit that the node must reach in ten minutes. */
export interface RateLimit {
	title: string;
	/** Requests per second that the service accepts on average. */
	allowed: number;
	/** Minimum rate of accepted requests, as a share of `allowed`. If this value is missing, no rate is promised. */
	goal?: number;
	admits: () => Load['admits'];
	load?: Omit<Load, 'admits'>;
}

const TWENTY = { executions: 20, latencyMs: 50 };
const TEXTS = { concurrency: 8, latencyMs: 50 };
const SHEDDING = { status: 503 };

/**
 * Most of these services limit requests with a token bucket. The default load is one execution that sends four
 * requests at a time. Each request takes 20 ms.
 */
export const RATE_LIMITS: RateLimit[] = [
	{ title: '20/s, burst 20', allowed: 20, goal: 0.9, admits: () => bucket(20, 20) },
	{
		title: '10/s, burst 10, Retry-After 2 s',
		allowed: 10,
		goal: 0.8,
		admits: () => bucket(10, 10),
		load: { retryAfterMs: 2000 },
	},
	{
		title: '20/s, burst 20, Retry-After 5 s',
		allowed: 20,
		goal: 0.8,
		admits: () => bucket(20, 20),
		load: { retryAfterMs: 5000 },
	},
	{
		title: '100/s, burst 20, Retry-After 1 s',
		allowed: 100,
		goal: 0.8,
		admits: () => bucket(100, 20),
		load: { retryAfterMs: 1000 },
	},
	{
		title: '40/s, burst 40, for 20 executions',
		allowed: 40,
		goal: 0.8,
		admits: () => bucket(40, 40),
		load: TWENTY,
	},
	{
		title: '40/s, burst 40, for 20 executions, Retry-After 1 s',
		allowed: 40,
		goal: 0.8,
		admits: () => bucket(40, 40),
		load: { ...TWENTY, retryAfterMs: 1000 },
	},
	{
		title: '40/s, burst 20, for 20 executions, Retry-After 5 s',
		allowed: 40,
		goal: 0.8,
		admits: () => bucket(40, 20),
		load: { ...TWENTY, retryAfterMs: 5000 },
	},
	{
		title: '503, 10/s, burst 20, batches of 500',
		allowed: 10,
		goal: 0.8,
		admits: () => bucket(10, 20),
		load: { ...SHEDDING, perRequest: 500 },
	},
	{
		title: '503, 5/s, burst 5, texts, 8 at a time',
		allowed: 5,
		goal: 0.8,
		admits: () => bucket(5, 5),
		load: { ...SHEDDING, ...TEXTS },
	},
	{
		title: '503, 10/s, burst 20, Retry-After 2 s',
		allowed: 10,
		goal: 0.8,
		admits: () => bucket(10, 20),
		load: { ...SHEDDING, retryAfterMs: 2000 },
	},
	{ title: '600/min, burst 600', allowed: 10, goal: 0.8, admits: () => bucket(10, 600) },
	{
		title: '600/min, burst 600, Retry-After 10 s',
		allowed: 10,
		goal: 0.8,
		admits: () => bucket(10, 600),
		load: { retryAfterMs: 10_000 },
	},
	{
		title: '600/min, refilled once a minute',
		allowed: 10,
		goal: 0.8,
		admits: () => refilledEachMinute(600),
	},
	{
		title: '600/min, refilled once a minute, Retry-After until then',
		allowed: 10,
		goal: 0.8,
		admits: () => refilledEachMinute(600),
		load: { retryAfterMs: untilNextMinute },
	},
	{
		title: '600/min, refilled once a minute, Retry-After 60 s',
		allowed: 10,
		admits: () => refilledEachMinute(600),
		load: { retryAfterMs: 60_000 },
	},
	{ title: '20/s, burst 1', allowed: 20, admits: () => bucket(20, 1) },
	{
		title: '20/s, burst 1, Retry-After 5 s',
		allowed: 20,
		admits: () => bucket(20, 1),
		load: { retryAfterMs: 5000 },
	},
	{ title: '40 in each second', allowed: 40, admits: () => perSecond(40) },
	{
		title: '40 in each second, Retry-After 1 s',
		allowed: 40,
		admits: () => perSecond(40),
		load: { retryAfterMs: 1000 },
	},
	{ title: '600 in any minute, refusals count', allowed: 10, admits: () => perMinute(600) },
	{
		title: '600 in any minute, refusals count, Retry-After 10 s',
		allowed: 10,
		admits: () => perMinute(600),
		load: { retryAfterMs: 10_000 },
	},
];

export const TEN_MINUTES = 600;

/** A service that accepts four concurrent requests. All executions together take at least 8.5 s. */
export const FOUR_AT_ONCE: { seconds: number; most: number; load: () => Load } = {
	seconds: 8.5,
	most: 12,
	load: () => ({
		admits: atOnce(4),
		executions: 20,
		requests: 85,
		latencyMs: 20,
		retryAfterMs: 1000,
	}),
};

import { addressesOf } from '../lib/views';

export const views = ['installations', 'bots', 'upload', 'submissions', 'tasks', 'notifications', 'preferences', 'session'] as const;
export type View = (typeof views)[number];

export const { parse: parseView, params: viewParams, href: viewHref } = addressesOf('/member', views);

/** Any of these operations opens the view; the session is everybody's. */
export const needs = {
  installations: ['member.installations.read'],
  bots: ['market.export'],
  upload: ['templates.submit', 'member.profile_pack.imports.write'],
  submissions: ['member.submissions.read', 'member.profile_pack.submissions.read'],
  tasks: ['member.tasks.read'],
  notifications: ['notifications.read'],
  preferences: ['preferences.read'],
} satisfies Record<Exclude<View, 'session'>, string[]>;

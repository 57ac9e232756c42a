-- The last backup is asked for by the console and before an upgrade; without this the whole log was read for it.
CREATE INDEX audit_backups ON audit_event (at) WHERE action = 'store.backed_up';

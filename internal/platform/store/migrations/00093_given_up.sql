-- What could not be sent is kept for a week to say so, without its text.
UPDATE notification_delivery SET message = '' WHERE next_at = 0;
CREATE INDEX notification_delivery_given_up ON notification_delivery (at) WHERE next_at = 0;

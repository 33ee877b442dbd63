-- A board on Firestore records an event by the ID of its document: up to 1,500 bytes of any text.
alter table triagem.minutes
  drop constraint if exists minutes_event_id_check,
  add constraint minutes_event_id_check check (event_id <> '' and octet_length(event_id) <= 1500);

alter table triagem.log
  drop constraint if exists log_event_id_check,
  add constraint log_event_id_check check (event_id <> '' and octet_length(event_id) <= 1500);

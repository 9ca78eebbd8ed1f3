"""A bundle: clips that are the recording's own, what was seen in each frame, papers an investigator can open, same bytes twice."""

from __future__ import annotations

import csv
import itertools
import json
import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
from service_fakes import NOW, SIZE, TABLE, events, finding, frames, opener, setup, sight

from rules.events import GapCause, event_to_dict
from service.digests import sha256_of_file, sha256_of_files
from service.evidence.about import About, cited_law, law_text
from service.evidence.bundle import AREAS, CLIP, NOTICE, SEEN, finish
from service.evidence.contents import write_bundle
from service.evidence.film import FPS, RecordingFilm, RingFilm, film_of
from service.evidence.mp4 import ClipWriter, frame_at
from service.evidence.pictures import Recent, encode, moments_of, pictures_of
from service.evidence.recorder import LONGEST_S, Job, Recorder
from service.evidence.room import EvidenceRoom
from service.evidence.verify import verify
from service.reviews.review import Options, review_video
from vision.change.coverage import OpenGap
from vision.frames.frame import Frame
from vision.frames.opening import open_source
from vision.seen import GAP_WORDS, Seen


def numbered(seconds: float, fps: float = 10.0) -> Iterator[Frame]:
    """Frames with a white bar whose place says which one they are."""
    for index in range(int(seconds * fps)):
        image = np.zeros((180, 400, 3), np.uint8)
        image[:, 3 * index : 3 * index + 12] = 255
        yield Frame(index, index / fps, image)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("film") / "video.mp4"
    with ClipWriter(path) as clip:
        for frame in numbered(9.0):
            clip.add(frame.t_s, frame.image)
    return path


def number_of(image: object) -> int:
    """Which frame a picture is."""
    bright = np.nonzero(np.asarray(image).mean(axis=(0, 2)) > 128)[0]
    return round((float(bright.mean()) - 5.5) / 3)


def ring_of(seconds: float, **options: float) -> RingFilm:
    ring = RingFilm(**options)  # type: ignore[arg-type]
    for frame in numbered(seconds):
        ring.add(frame)
    return ring


@pytest.mark.parametrize("kind", ["recording", "ring"])
def test_a_clip_holds_exactly_the_seconds_asked_for(kind: str, recording: Path, tmp_path: Path) -> None:
    film = RecordingFilm(recording) if kind == "recording" else ring_of(9.0)
    clip = film.cut(3.0, 5.0).write_clip(tmp_path / "clip.mp4")
    assert clip is not None
    assert [round(t_s, 3) for t_s in clip.times_s] == [round(3.0 + i / 10, 3) for i in range(21)]
    assert 0.0 <= clip.starts_s <= 3.0
    for t_s in clip.times_s:
        assert number_of(frame_at(tmp_path / "clip.mp4", t_s - clip.starts_s)) == round(t_s * 10)
    assert frame_at(tmp_path / "clip.mp4", 99.0) is None


def test_the_clip_of_a_recording_has_its_very_packets(recording: Path, tmp_path: Path) -> None:
    RecordingFilm(recording).cut(3.0, 5.0).write_clip(tmp_path / "clip.mp4")

    def packets(path: Path) -> list[bytes]:
        with av.open(str(path)) as container:
            return [bytes(packet) for packet in container.demux(video=0) if packet.size]

    clip, whole = packets(tmp_path / "clip.mp4"), packets(recording)
    at = whole.index(clip[0])
    assert whole[at : at + len(clip)] == clip


def test_another_codec_is_encoded_anew(tmp_path: Path) -> None:
    with av.open(str(tmp_path / "old.avi"), "w") as container:
        stream = container.add_stream("mjpeg", rate=10)
        stream.width, stream.height, stream.pix_fmt = 400, 180, "yuvj420p"
        for frame in numbered(3.0):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame.image, format="bgr24")))
        container.mux(stream.encode(None))
    clip = RecordingFilm(tmp_path / "old.avi").cut(1.0, 2.0).write_clip(tmp_path / "clip.mp4")
    assert clip is not None
    assert clip.starts_s == pytest.approx(1.0)
    assert [round(t_s, 1) for t_s in clip.times_s] == [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0]
    with av.open(str(tmp_path / "clip.mp4")) as container:
        assert container.streams.video[0].codec_context.name == "h264"


def test_a_folder_of_pictures_gives_clips_too(tmp_path: Path) -> None:
    import cv2

    for frame in numbered(2.0):
        cv2.imwrite(str(tmp_path / f"{frame.index:03d}.png"), frame.image)
    clip = film_of(str(tmp_path)).cut(0.5, 1.0).write_clip(tmp_path / "clip.mp4")
    assert clip is not None
    assert clip.starts_s == 0.5
    assert [round(t_s, 1) for t_s in clip.times_s] == [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]


def test_what_is_kept_of_a_camera_is_bounded_in_seconds_and_bytes(tmp_path: Path) -> None:
    ring = ring_of(12.0, kept_s=5.0)
    assert ring.since_s is not None
    assert 6.0 <= ring.since_s <= 7.1
    whole = ring_of(12.0).size
    small = ring_of(12.0, kept_bytes=whole // 3)
    assert 0 < small.size <= whole // 3
    clip = small.cut(0.0, 99.0).write_clip(tmp_path / "clip.mp4")
    assert clip is not None
    assert clip.starts_s == clip.times_s[0] == small.since_s
    assert ring_of(0.0).cut(0.0, 1.0).write_clip(Path("nowhere.mp4")) is None


def test_a_fast_camera_is_thinned_and_a_cut_outlives_the_ring(tmp_path: Path) -> None:
    ring = RingFilm(kept_s=2.0)
    for index in range(90):
        ring.add(Frame(index, index / 60, np.full((180, 320, 3), index, np.uint8)))
    cut = ring.cut(0.0, 1.0)
    for index in range(90, 600):
        ring.add(Frame(index, index / 60, np.full((180, 320, 3), 9, np.uint8)))
    clip = cut.write_clip(tmp_path / "clip.mp4")
    assert clip is not None
    times = clip.times_s
    assert times[0] == 0.0
    assert min(b - a for a, b in itertools.pairwise(times)) > 1.0 / FPS - 0.01


def job_of(recorder: Recorder) -> Job:
    """What the fake table's first breach leaves."""
    one, recent, film = sight(), Recent(), list(frames())
    script = [event_to_dict(event) for event in events()]
    for frame in film:
        one.watcher.frame(frame)
        recorder.look(frame, one.watcher.seen)
        recent.add(frame, one.watcher.seen)
        if frame.index == 20:
            recorder.note(script)
            recorder.want(finding(), pictures_of(recent, one.view, moments_of(finding(), dict(enumerate(script)))))
        assert recorder.due(frame.t_s) == []
    (job,) = recorder.due()
    assert recorder.due() == []
    return job


def about() -> About:
    return About.of(sight(), setup(), "cam")


def test_a_bundle_opens_with_ordinary_tools(tmp_path: Path) -> None:
    job = job_of(Recorder(RingFilm()))
    write_bundle(tmp_path, job, about())
    names = {path.name for path in tmp_path.iterdir()}
    assert names >= {
        CLIP, SEEN, AREAS, "events.jsonl", "events.csv", "finding.json", "law.txt", "law.json", "round.json",
        "about.json", "manifest.json", "index.html", "README.txt", "captions.json", "1.jpg", "1_marked.jpg", "1_close.jpg",
    }  # fmt: skip
    with open_source(tmp_path / CLIP) as clip:
        assert clip.info.size_px == SIZE
    rows = [json.loads(line) for line in (tmp_path / SEEN).read_text().splitlines()]
    assert [row["n"] for row in rows] == list(range(len(rows)))
    assert len(rows) == 40
    assert rows[-1]["cards"][0]["card"] == "Td"
    assert rows[5]["cards"][0]["card"] is None
    assert rows[20]["frame"] == 20
    finding_json = json.loads((tmp_path / "finding.json").read_text())
    assert finding_json["citation"] == "58 Pa. Code § 669a.11(c)"
    with (tmp_path / "events.csv").open(newline="") as file:
        assert [row["kind"] for row in csv.DictReader(file)] == ["wager_placed", "card_placed", "card_turned"]
    assert "Once all players have either checked or placed a Play Wager" in (tmp_path / "law.txt").read_text()
    for name in ("index.html", "README.txt", "about.json"):
        assert NOTICE.split(".")[0] in (tmp_path / name).read_text()
    page = (tmp_path / "index.html").read_text()
    assert "http" not in page.replace("http-equiv", "")


def test_what_was_seen_lies_beside_the_film_with_its_places(tmp_path: Path) -> None:
    job = job_of(Recorder(RingFilm()))
    moved = replace(sight().view.camera, matrix=sight().view.camera.matrix @ np.diag([1.01, 1.01, 1.0]))
    gap = (OpenGap(GapCause.MOVED, 2.0),)
    looked = tuple(
        replace(look, seen=replace(look.seen, camera=moved if look.t_s >= 2.5 else None, gaps=gap if 2.0 <= look.t_s < 2.5 else ()))
        for look in job.looked
    )  # fmt: skip
    write_bundle(tmp_path, replace(job, looked=looked), about())
    rows = [json.loads(line) for line in (tmp_path / SEEN).read_text().splitlines()]
    (x, y), *_ = rows[30]["cards"][0]["corners_px"]
    assert (x, y) == tuple(round(v, 1) for v in job.looked[30].seen.cards[0].corners_px[0])
    before, after = json.loads((tmp_path / AREAS).read_text())
    area = sight().view.layout.areas[0]
    assert before[area.name] == np.round(sight().view.camera.image_from_table(np.array(area.polygon_mm)), 1).tolist()
    assert after[area.name] == np.round(moved.image_from_table(np.array(area.polygon_mm)), 1).tolist()
    assert [row["areas"] for row in rows] == [int(row["t_s"] >= 2.5) for row in rows]
    assert {row["t_s"] for row in rows if row["gap"]} == {row["t_s"] for row in rows if 2.0 <= row["t_s"] < 2.5}
    assert rows[21]["gap"] == GAP_WORDS[GapCause.MOVED]
    page = (tmp_path / "index.html").read_text()
    drawn = json.loads(page.split("const clip = ")[1].split(", moment = ")[0])
    assert (drawn["size_px"], drawn["areas"]) == (list(SIZE), [before, after])
    things: dict[str, object] = {}
    for row, told in zip(rows, drawn["frames"], strict=True):
        things |= {name: told[name] for name in ("cards", "chips", "hands") if name in told}
        assert {**things, **told} == row
    assert sum("cards" in told for told in drawn["frames"]) < len(rows) / 4


def test_the_same_frames_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_bundle(tmp_path / name, job_of(Recorder(RingFilm())), about())
    one, two = (sha256_of_files(sorted((tmp_path / name).iterdir())) for name in ("one", "two"))
    assert one == two
    assert len(one) == 20


def test_the_law_comes_with_its_dates() -> None:
    law = cited_law(
        {"citation": "58 Pa. Code § 669a.12(b)", "check_id": "RIU-SET-ANTE", "consequence": "", "readings": ["a=b"]},
        None,
    )
    assert (law["effective"], law["source"]) == ("2019-11-02", "49 Pa.B. 6676")
    assert law["sentence"].startswith("A certificate holder shall pay each winning Ante Wager")
    assert "In this form since 2019-11-02 (49 Pa.B. 6676); last compared with the text 20" in law_text(law)
    assert "Rests on the reading a=b" in law_text(law)
    assert cited_law({"citation": "house rule 7", "check_id": "X"}, None)["sentence"] == ""


def test_names_and_passwords_of_cameras_stay_out(tmp_path: Path) -> None:
    one = replace_source("rtsp://admin:hunter2@10.0.0.5/stream")
    said = json.dumps(one.to_dict())
    assert "hunter2" not in said
    assert "10.0.0.5" in said


def replace_source(source: str) -> About:
    live = sight(live=True)
    return About.of(replace(live), setup(), source)


def test_moments_far_apart_are_shown_by_the_last_of_them() -> None:
    recorder = Recorder(RingFilm())
    recorder.note([event_to_dict(event) | {"t_s": t_s} for event, t_s in zip(events(), (5.0, 10.0, 90.0), strict=True)])
    recorder.want(finding(events=(0, 1, 2), t_s=91.0), ())
    (job,) = recorder.due()
    assert job.wanted.to_s - job.wanted.from_s <= LONGEST_S + 4.0
    assert (job.wanted.from_s, job.wanted.to_s) == (86.0, 93.0)


def test_the_card_that_went_to_the_wrong_seat_is_shown_and_not_the_next_one() -> None:
    dealt = {
        n: {"kind": "card_placed", "area": f"seat{seat}.cards", "face": "down", "t_s": t_s}
        for n, (seat, t_s) in enumerate(((2, 4.7), (4, 5.1), (5, 5.6), (4, 6.3), (2, 6.8)))
    }
    order = finding(area="seat4.cards", seat=4, events=tuple(dealt), t_s=6.8)
    assert [(moment.area, moment.t_s) for moment in moments_of(order, dealt)] == [
        ("seat2.cards", 4.7), ("seat5.cards", 5.6), ("seat4.cards", 6.3),
    ]  # fmt: skip
    elsewhere = finding(area="community.4th", events=tuple(dealt), t_s=6.8)
    assert [moment.t_s for moment in moments_of(elsewhere, dealt)] == [4.7, 5.6, 6.8]


def test_a_review_leaves_whole_bundles_that_a_vault_takes_in(recording: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        review_video(recording, setup(), tmp_path / name, Options(opened=opener(), now=lambda: NOW))
    folders = sorted((tmp_path / "one" / "evidence").iterdir())
    assert len(folders) == 2
    for folder in folders:
        again = tmp_path / "two" / "evidence" / folder.name
        assert sha256_of_files(sorted(folder.iterdir())) == sha256_of_files(sorted(again.iterdir()))
        assert (folder / CLIP).is_file()
        known = json.loads((folder / "about.json").read_text())
        assert known["source"]["recording_sha256"] == sha256_of_file(recording)
        assert known["table"]["table_id"] == TABLE
    room = EvidenceRoom.open(tmp_path / "evidence", lambda: NOW)
    assert room.take_in(folders[0], run_id="run", raised_utc=NOW)
    assert not room.take_in(folders[0], run_id="run", raised_utc=NOW)
    (folders[1] / "finding.json").write_text("{}")
    with pytest.raises(Exception, match=r"finding\.json was changed"):
        room.take_in(folders[1], run_id="run", raised_utc=NOW)
    room.take_in_or_refuse(folders[1], run_id="run", raised_utc=NOW)
    assert room.vault.reason_not_stored("run", folders[1].name) == "finding.json was changed"
    assert room.storage()["alarm"] == "evidence not stored: finding.json was changed"
    report = verify(tmp_path / "evidence")
    assert report.genuine, report.issues
    assert report.bundles == 1


def test_without_film_a_bundle_says_why(tmp_path: Path) -> None:
    job = job_of(Recorder(RecordingFilm(tmp_path / "gone.mp4")))
    folder = tmp_path / "bundle"
    folder.mkdir()
    done = write_bundle(folder, job, about())
    assert "cannot be read again" in json.loads((folder / "about.json").read_text())["film"]["missing"]
    assert "There is no film" in (folder / "index.html").read_text()
    assert not (folder / CLIP).exists()
    assert finish(folder, done.facts).manifest_sha256 == done.manifest_sha256


def test_pictures_are_kept_as_they_were_also_through_a_checkpoint() -> None:
    recent = Recent(every_s=0.5)
    images = [np.full((90, 160, 3), 40 * number, np.uint8) for number in range(5)]
    for number, image in enumerate(images):
        recent.add(Frame(number, number / 2, image), Seen(number, number / 2))
    again: Recent = pickle.loads(pickle.dumps(recent))
    for number, image in enumerate(images):
        for one in (recent, again):
            kept = one.at(number / 2)
            assert kept is not None
            assert (kept.t_s, kept.jpeg) == (number / 2, encode(image))
